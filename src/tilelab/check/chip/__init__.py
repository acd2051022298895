"""A whole chip under the checker."""
