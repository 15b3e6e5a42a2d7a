# Bits over the bound against the cost of a lookup, one panel a footprint.
title = "Bits over the fewest against the cost of a lookup"
legend = "Batches of absent keys, 95 % interval. Bits a key over log2(1 / rate), of the rate that the design predicts; lines join its sizes. Grey: the front, which no design beats in both. Of its designs the names tell the bits a key."
scale = 1
y_is_log = 1
y_format = "%g"
x_name = "ns a lookup"
said = "see = sprintf('Lower left is better: fewer bits for its rate in less time. In %s from %s (%.2g ns, %.3g times the fewest bits) to %s (%.2g ns, %.3g times)', place_name, short(fastest), fastest_ns, fastest_value, short(exactest), exactest_ns, exactest_value)"
load scripts."/fronts.gp"
