"""Words: similarity that means something, analogies with their null, directions, categories, evaluation."""
