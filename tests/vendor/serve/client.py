"""What a client of the server sends."""

from tilelab.vendor.serve.protocol import REQUEST, Request, encode, frame


def request_frame(request: Request) -> bytes:
    """Return a request as the frame that a client sends."""
    return frame(
        encode(
            REQUEST,
            {
                "command": request.command,
                "x": request.x,
                "y": request.y,
                "address": request.address,
                "size": request.size,
                "data": request.data,
            },
        )
    )
