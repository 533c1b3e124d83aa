"""The test bench: real tables played through the rig."""
