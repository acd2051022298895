// Configuration fields: see api/compute/common.h.
#pragma once
