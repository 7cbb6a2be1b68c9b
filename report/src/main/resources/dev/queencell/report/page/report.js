// Draws the figures of the page's data with the chart library that stands above. It decides how a
// figure looks; what it shows was decided when the page was written. No text of the data is ever
// read as HTML.
(() => {
  'use strict';
  const figures = JSON.parse(document.getElementById('data').textContent);
  const UNKNOWN = '–';
  const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const NINES = ['0%', '90%', '99%', '99.9%', '99.99%', '99.999%'];
  const LEFT = 66, PANE_HEIGHT = 62, PANE_HEIGHT_ALONE = 200, PANE_HEAD = 26, FOOT = 40;
  const NAMES_AT_LINES_MAX = 4;
  const PRINTED = {one: 690, half: 336};
  const PICTURE_WIDTH = 960;

  // Okabe and Ito's colours, which people who see fewer colours tell apart; percentiles of one thing
  // are steps of one hue.
  const LIGHT = {
    text: '#1b1f24', quiet: '#5b6470', rule: '#e3e7eb', shade: 'rgba(90,100,115,0.10)', ground: '#ffffff',
    pg: '#0072b2', statepg: '#56b4e9', state: '#cc79a7', broker: '#d55e00', proxy: '#009e73',
    loader: '#7d8794', offered: '#7d8794', pushed: '#0072b2', delivered: '#009e73', shed: '#e69f00',
    failed: '#d55e00', throttled: '#e69f00', limit: '#1b1f24',
    p50: '#8cc5e8', p90: '#3d94cc', p99: '#00609c', max: '#7d8794',
    runs: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#6b6f76'],
    waits: ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9'],
  };
  const DARK = {
    ...LIGHT,
    text: '#e4e7eb', quiet: '#9aa4b0', rule: '#2b3138', shade: 'rgba(160,175,190,0.10)', ground: '#14171b',
    pg: '#3d9be0', broker: '#f07a2b', proxy: '#1fbf92', state: '#dc93bb', pushed: '#3d9be0', delivered: '#1fbf92',
    failed: '#f07a2b', limit: '#e4e7eb', loader: '#98a2ae', offered: '#98a2ae',
    p50: '#2d6f9e', p90: '#4fa3dc', p99: '#a9d8f8', max: '#98a2ae',
    runs: ['#3d9be0', '#f07a2b', '#1fbf92', '#dc93bb', '#7cc7f2', '#e6b23c', '#a5abb3'],
    waits: ['#3d9be0', '#e6b23c', '#1fbf92', '#dc93bb', '#7cc7f2'],
  };
  const DASHES = ['solid', 'dashed', 'dotted'];

  const known = (value) => typeof value === 'number' && Number.isFinite(value);
  const grouped = (value, decimals) => value.toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals}).replace('-', '−');
  function digits(value) {
    const size = Math.abs(value);
    if (size >= 100 || value === 0) return grouped(value, 0);
    return grouped(value, size >= 10 ? 1 : size >= 1 ? 2 : 3);
  }
  function bytes(value) {
    let unit = 0;
    while (Math.abs(value) >= 1024 && unit < BYTES.length - 1) { value /= 1024; unit++; }
    return [value, BYTES[unit]];
  }
  const whole = (value) => grouped(value, value !== Math.round(value) && Math.abs(value) < 10 ? 1 : 0);
  const UNITS = {
    per_second: (v) => whole(v) + '/s',
    bytes_per_second: (v) => digits(bytes(v)[0]) + ' ' + bytes(v)[1] + '/s',
    ms: (v) => Math.abs(v) < 10000 ? digits(v) + ' ms' : digits(v / 1000) + ' s',
    micros: (v) => digits(v) + ' µs',
    cpus: digits,
    ratio: digits,
    share: (v) => digits(v * 100) + '%',
    bytes: (v) => digits(bytes(v)[0]) + ' ' + bytes(v)[1],
    count: whole,
  };
  const written = (unit, value) => known(value) ? UNITS[unit](value) : UNKNOWN;
  // On a scale nobody needs the zeros that a table keeps, and large numbers take the larger unit.
  function onScale(unit, value) {
    if (unit === 'ms' && value >= 1000) return short(digits(value / 1000) + ' s');
    if (unit === 'micros' && Math.abs(value) >= 10000) return short(digits(value / 1000) + ' ms');
    return short(written(unit, value));
  }
  const short = (text) => text.replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');

  const AXES = {
    seconds: (x) => digits(x) + ' s',
    percentile: (x) => 'p' + (100 * (1 - Math.pow(10, -x))).toFixed(Math.max(0, Math.ceil(x) - 1)),
    offered: (x) => grouped(x, 0) + '/s offered',
    round: (x) => 'round ' + (x + 1),
  };

  // The least round number above, such that its quarters are round too.
  function above(top, unit) {
    if (!(top > 0)) return 1;
    if (unit === 'share' && top > 0.5) return 1;
    let scale = 1;
    if (unit.startsWith('bytes')) {
      while (top / scale >= 1024) scale *= 1024;
      const step = [1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
      return scale * step.find((one) => one * scale >= top);
    }
    const power = Math.pow(10, Math.floor(Math.log10(top)));
    return power * [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((one) => one * power >= top * 0.999999);
  }

  function colour(theme, role) {
    const numbered = /^(run|wait)(\d+)$/.exec(role);
    if (!numbered) return theme[role] || theme.quiet;
    const list = numbered[1] === 'run' ? theme.runs : theme.waits;
    return list[numbered[2] % list.length];
  }

  function dash(role) {
    const run = /^run(\d+)$/.exec(role);
    return run ? DASHES[Math.floor(run[1] / LIGHT.runs.length) % DASHES.length] : role === 'offered' ? 'dashed' : 'solid';
  }

  const drawn = (pane) => pane.series.filter((one) => one.mark !== 'limit');
  const limits = (pane) => pane.series.filter((one) => one.mark === 'limit');
  const stacked = (one) => one.mark === 'area' || one.mark === 'bar';

  // How far a pane's drawing reaches, stacks included.
  function reach(pane) {
    const stacks = new Map();
    let top = pane.shared || 0, bottom = 0;
    for (const one of pane.series) {
      for (const [x, y] of one.data) {
        if (!known(y)) continue;
        const height = stacked(one) ? (stacks.get(x) || 0) + y : y;
        if (stacked(one)) stacks.set(x, height);
        top = Math.max(top, height);
        bottom = Math.min(bottom, height);
      }
    }
    return [bottom, top];
  }

  // Where bars and areas know nothing between what they know: [from, to] on the axis.
  function silences(pane) {
    const first = pane.series.find(stacked);
    const found = [];
    if (!first) return found;
    let last = null, open = false;
    for (const [x, y] of first.data) {
      if (known(y)) {
        if (open && last !== null) found.push([last, x]);
        last = x;
        open = false;
      } else {
        open = true;
      }
    }
    return found;
  }

  // All figures over time of one point have the same axis.
  const related = (figure) => figure.axis === 'seconds' ? figures.filter((one) => one.axis === 'seconds' && one.subject === figure.subject) : [figure];
  function extent(figure) {
    let from = Infinity, to = -Infinity;
    for (const pane of related(figure).flatMap((one) => one.panes)) {
      for (const one of drawn(pane)) {
        for (const [x] of one.data) { from = Math.min(from, x); to = Math.max(to, x); }
      }
    }
    if (figure.axis === 'seconds') return [Math.floor(Math.min(0, from)), Math.ceil(to)];
    if (figure.axis === 'percentile') return [0, Math.max(2, Math.ceil(to))];
    return [0, above(to, 'count')];
  }

  const paneHeight = (figure, pane) => figure.panes.length === 1 ? PANE_HEIGHT_ALONE : PANE_HEIGHT * Math.max(1, pane.height) + (pane.height === 1 ? 10 : 0);
  // A pane of one series has its name above it.
  const told = (figure) => [...new Set(figure.panes.filter((pane) => drawn(pane).length > 1).flatMap((pane) => drawn(pane).map((one) => one.name)))];
  const legend = (figure) => told(figure).length > 1 && !labelled(figure);
  // The legend breaks where it does not fit; nobody should have to turn its pages.
  function head(figure, width) {
    if (!legend(figure)) return 4;
    const needed = told(figure).reduce((sum, name) => sum + 30 + 6.4 * name.length, 0);
    return 12 + 20 * Math.max(1, Math.ceil(needed / Math.max(200, width)));
  }
  const height = (figure, width) => figure.panes.reduce((sum, pane) => sum + PANE_HEAD + paneHeight(figure, pane), head(figure, width) + FOOT);
  const names = (figure) => [...new Set(figure.panes.flatMap((pane) => drawn(pane).map((one) => one.name)))];
  // Names at the ends of lines cover each other where there are many.
  const labelled = (figure) => figure.axis === 'percentile' && names(figure).length <= NAMES_AT_LINES_MAX;

  function xAxis(figure, index, theme) {
    const last = index === figure.panes.length - 1;
    const axis = {
      gridIndex: index,
      type: 'value',
      axisLine: {onZero: false, lineStyle: {color: theme.quiet}},
      axisTick: {show: last, lineStyle: {color: theme.quiet}},
      splitLine: {show: false},
      axisLabel: {show: last, color: theme.quiet, hideOverlap: true},
    };
    if (figure.axis === 'round') {
      const rounds = Math.max(...drawn(figure.panes[0]).map((one) => one.data.length));
      return {...axis, type: 'category', data: Array.from({length: rounds}, (_, i) => 'round ' + (i + 1)), axisTick: {show: false}};
    }
    [axis.min, axis.max] = extent(figure);
    if (figure.axis === 'seconds') {
      axis.minInterval = 1;
      axis.axisLabel.formatter = (x) => x < 0 ? '' : grouped(x, 0) + ' s';
      axis.axisLabel.showMaxLabel = false;
    } else if (figure.axis === 'percentile') {
      axis.interval = 1;
      axis.splitLine = {show: true, lineStyle: {color: theme.rule}};
      axis.axisLabel.formatter = (x) => NINES[x] || '';
    } else {
      axis.axisLabel.formatter = (x) => grouped(x, 0) + '/s';
      if (last) Object.assign(axis, {name: 'offered', nameLocation: 'middle', nameGap: 24, nameTextStyle: {color: theme.quiet}});
    }
    return axis;
  }

  function yAxis(figure, pane, index, theme) {
    const axis = {
      gridIndex: index,
      type: pane.logarithmic ? 'log' : 'value',
      name: pane.name,
      nameGap: 9,
      nameTextStyle: {color: theme.quiet, align: 'left', padding: [0, 0, 0, 6 - LEFT]},
      axisLine: {show: false, onZero: false},
      axisTick: {show: false},
      splitLine: {lineStyle: {color: theme.rule}},
      axisLabel: {color: theme.quiet, formatter: (y) => onScale(pane.unit, y)},
    };
    if (pane.logarithmic) {
      const all = drawn(pane).flatMap((one) => one.data.map(([, y]) => y)).filter((y) => known(y) && y > 0);
      axis.min = Math.pow(10, Math.floor(Math.log10(Math.min(...all))));
      axis.max = Math.pow(10, Math.ceil(Math.log10(Math.max(pane.shared || 0, ...all))));
      if (axis.max <= axis.min) axis.max = axis.min * 10;
      return axis;
    }
    const [bottom, top] = reach(pane);
    const low = paneHeight(figure, pane) < 90;
    axis.max = above(Math.max(top, -bottom), pane.unit);
    if (figure.axis === 'round') {
      axis.min = bottom < 0 ? -axis.max : 0;
      if (top <= 0) axis.max = 0;
      axis.interval = above(Math.max(top, -bottom), pane.unit);
    } else {
      axis.min = 0;
      axis.interval = axis.max / (low ? 2 : 4);
      if (pane.unit === 'count' && axis.max < 4) axis.interval = 1;
    }
    return axis;
  }

  function marks(figure, pane, theme) {
    const out = {};
    const areas = [];
    if (figure.axis === 'seconds') {
      const [from, to] = extent(figure);
      const area = (start, end, itemStyle) => areas.push([{xAxis: start, itemStyle}, {xAxis: end}]);
      const shade = {color: theme.shade};
      if (known(figure.steadyFrom) && figure.steadyFrom > from) area(from, figure.steadyFrom, shade);
      if (known(figure.steadyTo) && figure.steadyTo < to) area(Math.max(from, figure.steadyTo), to, shade);
      const frame = {color: 'transparent', borderColor: theme.quiet, borderType: 'dashed', borderWidth: 1};
      for (const [start, end] of silences(pane)) area(start, end, frame);
    }
    if (areas.length) out.markArea = {silent: true, data: areas};
    const lines = limits(pane).map((one) => ({
      yAxis: one.data[0][1],
      label: {formatter: one.name + ' ' + written(pane.unit, one.data[0][1]), position: 'insideEndTop', color: theme.limit, fontSize: 11},
    }));
    if (lines.length) out.markLine = {silent: true, symbol: 'none', data: lines, lineStyle: {color: theme.limit, type: 'dashed', width: 1}};
    return out;
  }

  // The chart library does not stack over an axis of numbers: each layer reaches from the ground to its
  // own top, the lower ones painted over the higher. The third number is the layer's own.
  function layers(pane) {
    const tops = new Map();
    const layer = (one) => one.data.map(([x, y]) => {
      if (!known(y)) return [x, null, null];
      tops.set(x, (tops.get(x) || 0) + y);
      return [x, tops.get(x), y];
    });
    return {...pane, series: pane.series.map((one) => stacked(one) ? {...one, data: layer(one)} : one)};
  }

  // A value between two gaps has no line to either side, so it gets a mark of its own.
  function data(figure, one) {
    if (figure.axis === 'round') return one.data.map(([, y]) => y);
    const kept = one.mark === 'bar' ? one.data.filter(([, y]) => known(y)) : one.data;
    return kept.map((value, i) => {
      const alone = known(value[1]) && !(i > 0 && known(kept[i - 1][1])) && !(i + 1 < kept.length && known(kept[i + 1][1]));
      return one.mark === 'line' && alone ? {value, symbol: 'circle', symbolSize: 5} : {value};
    });
  }

  // Bars stand as wide as their usual distance, whatever two of them came close together.
  function barWidth(figure, one, width) {
    if (figure.axis === 'round') return 36;
    const [from, to] = extent(figure);
    const gaps = one.data.slice(1).map(([x], i) => x - one.data[i][0]).sort((a, b) => a - b);
    const usual = gaps.length ? gaps[gaps.length >> 1] : 1;
    return Math.min(16, Math.max(1.5, 0.8 * usual / (to - from) * (width - LEFT - 18)));
  }

  function series(figure, pane, index, one, place, theme, width) {
    const paint = colour(theme, one.colour);
    const base = {
      name: one.name,
      xAxisIndex: index,
      yAxisIndex: index,
      data: data(figure, one),
      itemStyle: {color: paint},
      zlevel: 0, // said, because the library complains of a mark under the pointer that has none
      emphasis: {disabled: true, focus: 'none'},
      ...(place === 0 ? marks(figure, pane, theme) : {}),
    };
    if (one.mark === 'bar') {
      return {...base, type: 'bar', z: 40 - place, barGap: '-100%', barWidth: barWidth(figure, one, width)};
    }
    const line = {...base, type: 'line', z: 50, connectNulls: false, symbol: 'none', lineStyle: {color: paint, width: 1.7, type: dash(one.colour)}};
    if (one.mark === 'area') return {...line, z: 40 - place, lineStyle: {color: paint, width: 0}, areaStyle: {color: paint, opacity: 1}};
    if (one.mark === 'scatter') return {...line, z: 60, lineStyle: {width: 0}, symbol: 'circle', symbolSize: 13, showSymbol: true, itemStyle: {color: paint}, data: base.data.map((at) => ({...at, itemStyle: {color: 'transparent', borderColor: paint, borderWidth: 2}}))};
    if (one.mark === 'dots') return {...line, symbol: 'circle', symbolSize: 7, showSymbol: true};
    if (labelled(figure)) {
      line.endLabel = {show: true, formatter: '{a}', color: paint, distance: 6};
      line.labelLayout = {moveOverlap: 'shiftY'};
    }
    return line;
  }

  function cell(row, text) {
    const one = row.insertCell();
    one.textContent = text;
    return one;
  }

  function tip(figure, units, theme) {
    return (all) => {
      const box = document.createElement('div');
      const title = document.createElement('b');
      const x = figure.axis === 'round' ? all[0].dataIndex : all[0].axisValue;
      title.textContent = AXES[figure.axis](Number(x));
      const table = document.createElement('table');
      for (const one of all) {
        const y = Array.isArray(one.value) ? one.value[one.value.length - 1] : one.value;
        const row = table.insertRow();
        const name = cell(row, one.seriesName);
        const key = document.createElement('span');
        key.className = 'key';
        // A ring is told by its rim.
        key.style.background = one.color === 'transparent' ? one.borderColor : one.color;
        name.prepend(key);
        cell(row, written(units[one.seriesIndex], y)).className = 'number';
      }
      box.append(title, table);
      return box;
    };
  }

  function option(figure, theme, width, title) {
    let top = head(figure, width) + (title ? 30 : 0);
    const grids = [], xs = [], ys = [], all = [], units = [];
    const widest = labelled(figure) ? Math.min(170, 14 + 7 * Math.max(...names(figure).map((name) => name.length))) : figure.axis === 'offered' ? 40 : 18;
    figure.panes.forEach((pane, index) => {
      top += PANE_HEAD;
      grids.push({left: LEFT, right: widest, top, height: paneHeight(figure, pane)});
      top += paneHeight(figure, pane);
      xs.push(xAxis(figure, index, theme));
      ys.push(yAxis(figure, pane, index, theme));
      drawn(figure.axis === 'round' ? pane : layers(pane)).forEach((one, i) => {
        all.push(series(figure, pane, index, one, i, theme, width));
        units.push(pane.unit);
      });
    });
    return {
      animation: false,
      backgroundColor: 'transparent',
      textStyle: {color: theme.text, fontFamily: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif', fontSize: 12},
      title: title ? {text: title, left: 0, top: 0, textStyle: {color: theme.text, fontSize: 14, fontWeight: 600}} : undefined,
      legend: legend(figure)
        ? {left: 0, right: 0, top: title ? 28 : 0, itemWidth: 12, itemHeight: 8, itemGap: 12, padding: [4, 0], icon: 'roundRect', data: told(figure), selectedMode: false, textStyle: {color: theme.text}}
        : undefined,
      grid: grids,
      xAxis: xs,
      yAxis: ys,
      series: all,
      axisPointer: {link: [{xAxisIndex: 'all'}], lineStyle: {color: theme.quiet}},
      tooltip: {
        trigger: 'axis', confine: true, className: 'tip', transitionDuration: 0, backgroundColor: theme.ground, borderColor: theme.quiet,
        borderWidth: 1, padding: 8, textStyle: {color: theme.text, fontSize: 12}, formatter: tip(figure, units, theme),
        axisPointer: {type: figure.axis === 'round' ? 'shadow' : 'line'},
      },
    };
  }

  function pictures() {
    const out = {};
    for (const figure of figures) {
      const place = document.createElement('div');
      place.style.cssText = 'position:absolute;left:-4000px;width:' + PICTURE_WIDTH + 'px;height:' + (height(figure, PICTURE_WIDTH) + 30) + 'px';
      document.body.append(place);
      const chart = echarts.init(place, null, {renderer: 'canvas', devicePixelRatio: 2});
      chart.setOption(option(figure, LIGHT, PICTURE_WIDTH, figure.subject ? figure.title + ': ' + figure.subject : figure.title));
      out[figure.id] = chart.getDataURL({pixelRatio: 2, backgroundColor: LIGHT.ground});
      chart.dispose();
      place.remove();
    }
    const answer = document.createElement('pre');
    answer.id = 'pictures';
    answer.hidden = true;
    answer.textContent = JSON.stringify(out);
    document.body.append(answer);
  }

  if (location.hash === '#pictures') {
    pictures();
    return;
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const charts = [];
  for (const place of document.querySelectorAll('.chart')) {
    const figure = figures.find((one) => one.id === place.dataset.figure);
    charts.push({figure, place, chart: echarts.init(place, null, {renderer: 'canvas', devicePixelRatio: Math.max(2, devicePixelRatio)})});
  }
  function paint(theme, printed) {
    for (const {figure, place, chart} of charts) {
      const width = printed ? printed(place) : place.clientWidth;
      place.style.height = height(figure, width) + 'px';
      chart.resize({width: printed ? width : 'auto', height: height(figure, width)});
      chart.setOption(option(figure, theme, width), true);
    }
  }
  let printing = false;
  const screen = () => printing || paint(dark.matches ? DARK : LIGHT);
  screen();
  // What is drawn changes the page's height, which must not draw it again.
  let width = innerWidth;
  addEventListener('resize', () => {
    if (width !== innerWidth) {
      width = innerWidth;
      screen();
    }
  });
  dark.addEventListener('change', screen);
  // Paper is light and narrow, whatever the screen is.
  addEventListener('beforeprint', () => {
    printing = true;
    paint(LIGHT, (place) => place.closest('#ladder, #percentiles') && !place.closest('.single') ? PRINTED.one : PRINTED.half);
  });
  addEventListener('afterprint', () => {
    printing = false;
    screen();
  });
})();
