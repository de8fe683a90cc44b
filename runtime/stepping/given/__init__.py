"""What a motion is given from outside: joint torques, wrenches on links, courses of joints, servos."""
