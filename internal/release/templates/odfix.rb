# Made by make release.
class Odfix < Formula
  desc "[[.Description]]"
  homepage "[[.Homepage]]"
  version "[[.Version]]"
  license "[[.License]]"
[[range .Blocks]]
  on_[[.Name]] do
[[- range .Archives]]
    on_[[.CPU]] do
      url "[[.URL]]"
      sha256 "[[.Sum]]"
    end
[[- end]]
  end
[[end]]
  def install
    bin.install[[range $i, $p := .Programs]][[if $i]],[[end]] "[[$p.Name]]"[[end]]
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/odfix.bash" => "odfix"
    zsh_completion.install "completions/_odfix"
    fish_completion.install "completions/odfix.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/odfix --version")
  end
end
