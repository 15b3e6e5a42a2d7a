# gnuplot -c all.gp SCRIPTS FIGURE...   (in the folder of the data files, where the pictures go)
# Draws FIGURE.dat with FIGURE.gp into FIGURE.svg.tmp and FIGURE.png.tmp. A figure says its width and
# height, then evaluates `open`.
scripts = ARG1
load scripts."/style.gp"
do for [f=2:ARGC] {
    figure = ARGV[f]
    data = figure.".dat"
    do for [open in "open_svg open_png"] {
        reset
        eval style
        open = value(open)
        load scripts."/".figure.".gp"
        unset multiplot
        unset output
    }
}
