import { ExactNumber } from '../../../src/model/json/exact-number.ts';
import { describe, expect, it } from 'vitest';
import { valueAt, type Json } from '../../../src/model/json/json.ts';
import { fillIn, variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { loadText, problemsOf, sentencesOf } from '../../support/expect-problems.ts';

const variables = {
  TEXT: 'hello',
  NUMBER: '42',
  FLAG: 'true',
  NOTHING: 'null',
  EMPTY: '',
  MAP: '{ a: 1 }',
  LIST: '[1, 2]',
  ZEROS: '0777',
  LARGE: '12345678901234567890',
  NESTED: '${TEXT}',
  'NOT-A-NAME': 'x',
};

describe('a placeholder', () => {
  it.each<[string, string, Json]>([
    ['takes the type that YAML gives the value, unquoted and alone', '${NUMBER}', 42],
    ['may be a flag', '${FLAG}', true],
    ['may be null', '${NOTHING}', null],
    ['that is empty and unquoted is null, as it is in YAML', '${EMPTY}', null],
    ['stays text in double quotes', '"${NUMBER}"', '42'],
    ['stays text in single quotes', "'${FLAG}'", 'true'],
    ['stays text beside other text', 'port-${NUMBER}', 'port-42'],
    ['stays text beside another one', '${NUMBER}${NUMBER}', '4242'],
    ['stays text in a block', '|-\n  ${NUMBER}', '42'],
    ['never becomes a map', '${MAP}', '{ a: 1 }'],
    ['never becomes a list', '${LIST}', '[1, 2]'],
    ['with leading zeros stays text', '${ZEROS}', '0777'],
    ['that JavaScript would round keeps its digits', '${LARGE}', ExactNumber.of('12345678901234567890')],
    ['is filled in once', '${NESTED}', '${TEXT}'],
    ['has a default', '${ABSENT:-other}', 'other'],
    ['has a default that may be a number', '${ABSENT:-7}', 7],
    ['has a default that may be empty', '"${ABSENT:-}"', ''],
    ['has a default with punctuation', '"${ABSENT:-http://x:1/y?a=b}"', 'http://x:1/y?a=b'],
    ['needs no default when it is set', '${TEXT:-other}', 'hello'],
    ['takes its default for an empty variable too', '${EMPTY:-other}', 'other'],
    ['with two dollars is left to the gateway', '$${TEXT}', '${TEXT}'],
    ['with two dollars and a default too', '$${TEXT:-x} and ${TEXT}', '${TEXT:-x} and hello'],
    ['is not {{…}}, which is the gateway’s', '"{{TEXT}} {{userIp}}"', '{{TEXT}} {{userIp}}'],
    ['is not a dollar alone', '"$TEXT $ 5$"', '$TEXT $ 5$'],
    ['is not a brace that is not closed', '"${TEXT"', '${TEXT'],
  ])('%s: %s', (_, written, value) => {
    expect(valueOf(written)).toEqual(value);
  });

  it('may stand in a key', () => {
    const text = fileWith('"${TEXT}-key": 1\n    ${NUMBER}: 2');
    const { value } = loadText(text, { variables, isPublic: true });
    expect([...value.values()][0]?.resource.spec['config']).toEqual({ 'hello-key': 1, 42: 2 });
  });

  it('is not looked for in comments', () => {
    expect(configOf('a: 1 # ${ABSENT}')).toEqual({ a: 1 });
  });
});

describe('a placeholder is a problem', () => {
  it('at its place when the variable is missing, and nothing else is said of its field', () => {
    expect(
      problemsOf(
        `
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: i }
        spec:
          pluginClass: com.example.Own
          priority: \${ABSENT}
          config:
            list: [a, "x \${ABSENT} \${GONE}"]
      `,
      ),
    ).toEqual([
      { code: 'missing-variable', at: '6:13', path: '/spec/priority' },
      { code: 'missing-variable', at: '8:15', path: '/spec/config/list/1' },
      { code: 'missing-variable', at: '8:15', path: '/spec/config/list/1' },
    ]);
  });

  it('at the key that it stands in', () => {
    expect(problemsOf(fileWith('${ABSENT}: 1'), { variables })).toMatchObject([
      { code: 'missing-variable', at: '8:5' },
    ]);
  });

  it.each(['${}', '${NOT-A-NAME}', '${1ST}', '${TEXT-default}', '${TEXT:?needed}', '${ TEXT }'])(
    'when it is %s',
    (written) => {
      expect(problemsOf(fileWith(`a: "${written}"`), { variables })).toEqual([
        { code: 'bad-placeholder', at: '8:8', path: '/spec/config/a' },
      ]);
    },
  );

  it('says what to do', () => {
    expect(sentencesOf(fileWith('a: ${ABSENT}'))).toEqual([
      'the environment variable ABSENT is not set; set ABSENT; or use a default, ${ABSENT:-…}; ' +
        'or write $${ABSENT} for a placeholder of the gateway',
    ]);
    expect(sentencesOf(fileWith('a: ${1ST}'))).toEqual([
      'expected ${VAR}, ${VAR:-default}, ${file:PATH}, ${exec:NAME} or a store such as ${vault:PATH#field}; found ${1ST}; ' +
        'use the name of an environment variable; or write $${1ST} to send ${1ST} to the gateway',
    ]);
    expect(sentencesOf(fileWith('a: "${TOKEN:=hunter2}"')).join()).toContain('found ${TOKEN:…};');
    expect(sentencesOf(fileWith('a: "${TOKEN-hunter2} ${TOKEN:?hunter2}"')).join()).not.toContain('hunter2');
  });
});

it('the variables whose values are in a text are named, and those that gave none are not', () => {
  const filled = fillIn(
    '${TEXT} ${EMPTY:-x} ${ABSENT:-y} $${FLAG}',
    variablesFrom((name) => (name === 'TEXT' ? 'hello' : name === 'EMPTY' ? '' : undefined)),
  );
  expect(filled).toMatchObject({ text: 'hello x y ${FLAG}', variables: ['TEXT'], faults: [] });
  expect(
    fillIn(
      '${EMPTY}',
      variablesFrom(() => ''),
    ),
  ).toMatchObject({
    text: '',
    variables: ['EMPTY'],
    faults: [],
  });
});

function fileWith(config: string): string {
  return `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: i }
spec:
  pluginClass: com.example.Own
  priority: 1
  config:
    ${config}
`;
}

function configOf(config: string): Json | undefined {
  const { value, problems } = loadText(fileWith(config), { variables });
  expect(problems).toEqual([]);
  return [...value.values()][0]?.resource.spec['config'];
}

function valueOf(written: string): Json | undefined {
  return valueAt(configOf(`a: ${written.replaceAll('\n', '\n    ')}`), '/a');
}

it('a text of which a part has no value stays as it is written, where that may be', () => {
  const variables = variablesFrom((name) => (name === 'A' ? 'a' : undefined), {
    source: (name) => (name === 'file:b' ? { text: 'b' } : 'open'),
    missing: 'open',
  });
  const text = '${A} ${file:b} ${exec:c} ${D} $${E}';
  expect(fillIn(text, variables, 'value')).toEqual({
    ...{ text, faults: [] },
    variables: ['A', 'file:b', 'exec:c', 'D'],
    open: ['exec:c', 'D'],
  });
});
