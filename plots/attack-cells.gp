# What an attacker's keys do, a row for each attack.
title = "Keys of an attacker that get \"maybe\""
legend = "Line: 99.9 % interval. Cross: random keys. A design falls where the keys pass far more often than random keys."
better = "Further left is better: fewer of the attacker's keys pass."
xname = "% of the attacker's keys that get \"maybe\""
factor = 1
said(x) = sprintf("%.3g %%", x)
shows_reference = 1
shows_zero = 0
load scripts."/cells.gp"
