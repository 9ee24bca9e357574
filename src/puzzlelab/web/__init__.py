"""The web page: a server of plain JSON and one static page. Whatever searches does so in worker processes."""
