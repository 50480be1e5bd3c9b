module github.com/odfix/odfix

go 1.26
