"""One module a topic, each with the reverse and the forward rule of its functions side by side."""
