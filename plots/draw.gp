# gnuplot -c draw.gp SCRIPTS TABLE FIGURE   (in the folder where the pictures go)
# Draws TABLE with FIGURE.gp into FIGURE.svg.tmp and FIGURE.png.tmp. A figure says its width and height,
# then evaluates `open`. Each figure has a process of its own: the names of one are not in another.
scripts = ARG1
data = ARG2
figure = ARG3
load scripts."/style.gp"
do for [open in "open_svg open_png"] {
    reset
    eval style
    open = value(open)
    load scripts."/".figure.".gp"
    unset multiplot
    unset output
}
