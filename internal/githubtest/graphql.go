package githubtest

func (c *call) graphql() (answer, error) { return answer{}, notFound() }
