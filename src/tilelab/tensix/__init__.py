"""One Tenstorrent Tensix tile."""
