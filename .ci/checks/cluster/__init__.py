"""Three servers on shared engines behind a load balancer: what befalls them, what clients note, and what has to be true."""
