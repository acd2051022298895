"""The vector unit (SFPU): one file for each family of its instructions, lane by lane.

Every instruction goes through ``load_macro.issue`` first, which lets pass the time for what
SFPLOADMACRO scheduled, and records the instruction as a template where VD says so. Results for the
constant registers (VD 8 and above) are dropped, as on hardware; modes that ttsim refuses and the
manual defines do what the manual says.

Not modelled: LaneConfig (but for EXCHANGE_SRCB_SRCC) and LoadMacroConfig that differ between
columns of lanes; what the files of this room list.
"""
