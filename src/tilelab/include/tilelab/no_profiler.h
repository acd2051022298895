// The vendor's marks for its profiler, which record nothing: the cycle clock sees every cycle.
#pragma once

#define DeviceZoneScopedN(name)
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedSumN1(name)
#define DeviceZoneScopedSumN2(name)
#define DeviceTimestampedData(name, data)
