"""The tools of a literate package: articles in; package, tests and site out."""
