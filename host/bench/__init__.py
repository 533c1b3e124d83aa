"""The test bench: scenarios on every target, drivers against scripted devices, tables played through the rig."""
