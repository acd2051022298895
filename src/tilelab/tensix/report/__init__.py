"""What people read: why a tile stopped, tables, colours, and the reference pages."""
