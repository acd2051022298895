// What a kernel for a card includes of tt-metal; the probes use nothing of it.
#pragma once
