"""Between values and messages: `encode_x` and `decode_x` in pairs, and nothing that needs a network."""
