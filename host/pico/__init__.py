"""What goes onto a Pico: boards, files, images, and the port it goes through."""
