"""What the scan is measured beside: each peer's own way to the ten nearest rows of every row, by the cosine."""
