# Which keys were measured, as a sentence at the end of `legend`: "Keys in a filter: 10000 random." The
# calling figure sets keys_column and n_column; in rows of no keys they are "-" and "nan".
kind_of_keys(text) = text eq "file" ? "of the user's file" : text
seen = ""
stats data skip 1 using (strcol(keys_column) ne "-" ? note(strcol(keys_column)) : 0) nooutput
keys_drawn = kind_of_keys(word(seen, 1))
do for [i=2:words(seen)] { keys_drawn = keys_drawn." and ".kind_of_keys(word(seen, i)) }
stats data skip 1 using n_column name "K" nooutput
legend = legend." Keys in a filter: ".sprintf("%.0f", K_min).(K_max > K_min ? sprintf(" to %.0f ", K_max) : " ").keys_drawn."."
