import Anser from 'anser';

const FONT = 14;
const WIDTH = FONT * 0.6; // of a character: the monospaced fonts named below are about this wide
const HEIGHT = FONT * 1.45; // of a line
const MARGIN = 20;
const BACKGROUND = '#0d1117';
const FOREGROUND = '#e6edf3';
const COLOURS = {
  'ansi-red': '#ff7b72',
  'ansi-green': '#7ee787',
  'ansi-yellow': '#e3b341',
  'ansi-cyan': '#79c0ff',
};

/** An SVG of a terminal with a command and its coloured output. */
export function drawTerminal(command, output) {
  const lines = [`\u001B[2m$\u001B[22m ${command}`, '', ...output.trimEnd().split('\n')];
  const longest = Math.max(...lines.map((line) => Anser.ansiToText(line).length));
  const width = Math.ceil(longest * WIDTH + 2 * MARGIN);
  const height = Math.ceil(lines.length * HEIGHT + 2 * MARGIN);
  const rows = lines.map(
    (line, at) =>
      `<text x="${MARGIN}" y="${(MARGIN + FONT + at * HEIGHT).toFixed(1)}">${drawLine(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${Anser.escapeForHtml(command)}</title>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}" fill="${FOREGROUND}" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`;
}

function drawLine(line) {
  return Anser.ansiToJson(line, { json: true, remove_empty: true, use_classes: true })
    .map(({ content, fg, decorations }) => {
      const attributes = [
        ...(fg === null ? [] : [`fill="${COLOURS[fg] ?? FOREGROUND}"`]),
        ...(decorations.includes('bold') ? ['font-weight="bold"'] : []),
        ...(decorations.includes('dim') ? ['fill-opacity="0.6"'] : []),
      ];
      const text = Anser.escapeForHtml(content);
      return attributes.length === 0 ? text : `<tspan ${attributes.join(' ')}>${text}</tspan>`;
    })
    .join('');
}
