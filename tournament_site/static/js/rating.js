// The rating graph. The table below it says the same without a picture.

const box = document.querySelector("[data-chart]");
const { times, values, labels } = JSON.parse(document.getElementById("rating-points").textContent);
let chart = null;

/** A token of the stylesheet as a colour that a canvas understands. */
function colour(token) {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  box.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function options(width) {
  const axis = { stroke: colour("--ink-2"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
  return {
    width,
    height: 250,
    legend: { show: false },
    cursor: { y: false, points: { size: 9 } },
    scales: { x: { time: false } },
    series: [
      {},
      { label: "Elo", stroke: colour("--brand"), width: 2, fill: colour("--brand-soft"), points: { show: values.length < 40, size: 6 } },
    ],
    axes: [{ ...axis, size: 34, values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? String(tick) : "")) }, { ...axis, size: 56, values: (_plot, ticks) => ticks.map((tick) => String(tick)) }],
    hooks: { setCursor: [(plot) => say(plot.cursor.idx)] },
  };
}

function say(index) {
  const readout = document.querySelector("[data-chart-readout]");
  if (index !== null && index !== undefined && labels[index] !== undefined) {
    readout.textContent = labels[index];
  }
}

function draw() {
  chart?.destroy();
  chart = new globalThis.uPlot(options(box.clientWidth), [times, values], box);
}

draw();
document.addEventListener("themechange", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
new ResizeObserver(() => {
  if (chart && chart.width !== box.clientWidth) {
    chart.setSize({ width: box.clientWidth, height: 250 });
  }
}).observe(box);
