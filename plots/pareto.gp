# Bits over the bound against the cost of a lookup, one panel a footprint.
title = "Bits over the fewest against the cost of a lookup"
legend = "Batches of absent keys, 95 % interval. Bits a key over log2(1 / rate), of the predicted rate. Grey: the front; its labels show the bits per key."
scale = 1
y_is_log = 1
y_format = "%g"
y_tics = "set ytics (1, 1.1, 1.2, 1.3, 1.44, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20)"
x_name = "ns a lookup"
said = "see = fastest eq exactest ? sprintf('Lower left is better: fewer bits for its rate in less time. In %s %s leads in both (%.2g ns, %.3g times the fewest bits)', place_name, short(fastest), fastest_ns, exactest_value) : sprintf('Lower left is better: fewer bits for its rate in less time. In %s from %s (%.2g ns, %.3g times the fewest bits) to %s (%.2g ns, %.3g times)', place_name, short(fastest), fastest_ns, fastest_value, short(exactest), exactest_ns, exactest_value)"
load scripts."/fronts.gp"
