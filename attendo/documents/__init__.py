"""Lines and files through a translator: read, translate, write, and resume after any kind of end."""
