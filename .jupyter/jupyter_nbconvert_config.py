"""How the experiments become pages of the site; read by nbconvert, which runs them."""

c = get_config()  # noqa: F821  (nbconvert runs this file and gives it the name)
# Kernels talk over sockets in a folder, not over open ports.
c.KernelManager.transport = "ipc"
# Formulas and links to articles are read as in the articles.
c.HTMLExporter.default_preprocessors.append("literate_book.render.notebooks.ArticleText")
