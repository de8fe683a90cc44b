"""What tests share: oracles, scenes, mechanisms, drivers."""
