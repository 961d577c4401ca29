import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { valueAt, type Json } from '../../src/model/json/json.ts';
import { editorSchema } from '../../src/schema/json-schema.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { PLUGIN_PREFIX } from '../../src/schema/plugins/plugin.ts';
import { plugins } from '../../src/schema/plugins/index.ts';
import { variablesFrom } from '../../src/schema/yaml/interpolate.ts';
import { templateText } from '../support/template-text.ts';
import { yamlFiles } from '../support/corpus.ts';
import { resource } from '../support/kinds.ts';

const schema = editorSchema(catalog);
const isValid = new Ajv({ strict: false, allErrors: true }).compile(schema ?? false);

describe('the schema for editors', () => {
  const variable = (name: string): string => `a-${name}`;
  const valid = yamlFiles.filter(({ name, text }) => {
    const { value, problems } = load([{ path: name, text }], catalog, variablesFrom(variable));
    return (
      value.size > 0 &&
      problems.every(({ severity, code }) => severity !== 'error' || code === 'missing-variable')
    );
  });

  it.each(valid)('takes $name, which is valid', ({ text }) => {
    for (const document of parseAllDocuments(text, { merge: true })) {
      const value: unknown = document.toJS();
      if (value !== null) expect(isValid(value), JSON.stringify(isValid.errors?.slice(0, 3))).toBe(true);
    }
  });

  it('takes each template', () => {
    for (const name of [
      ...catalog.kinds.keys(),
      ...catalog.ownKinds.keys(),
      ...plugins.map((one) => one.title),
    ]) {
      const text = templateText(name);
      if (text === undefined) continue;
      const [document] = parseAllDocuments(text);
      expect(isValid(document?.toJS()), name).toBe(true);
    }
  });

  const encrypt = `${PLUGIN_PREFIX}EncryptPlugin`;

  it.each<[string, Json]>([
    ['an unknown key of a known class', withClass(encrypt, { statement: 'x' })],
    ['an unknown key deeper in it', withClass(encrypt, { kmsConfig: { valt: {} } })],
    ['a value of the wrong type', withClass(encrypt, { externalStorage: 'sometimes' })],
    ['a value outside of its set', withClass(encrypt, { compressionType: 'rar' })],
    ['a class that is no text', withClass(1, {})],
    ['a class that is nothing', withClass('', {})],
  ])('refuses %s', (_, value) => {
    expect(isValid(value)).toBe(false);
  });

  it.each<[string, Json]>([
    ['any config of a class that nobody knows', withClass('com.example.OwnPlugin', { any: { thing: [1] } })],
    ['a class from a variable', withClass('${CLASS}', { any: 1 })],
    ['a variable where a flag is expected', withClass(encrypt, { externalStorage: '${STORE:-true}' })],
    [
      "the gateway's own template where a number is expected",
      withClass(encrypt, { throttleTimeMs: '{{x}}' }),
    ],
  ])('takes %s', (_, value) => {
    expect(isValid(value)).toBe(true);
  });

  it('completes the classes with what they do, and then their keys', () => {
    const interceptor = editorSchema(catalog, 'Interceptor');
    const pluginClass = valueAt(interceptor, '/allOf/0/then/properties/spec/properties/pluginClass/anyOf/0');
    expect(valueAt(pluginClass, '/enum')).toEqual(plugins.map(({ name }) => name));
    expect(valueAt(pluginClass, '/enumDescriptions')).toEqual(plugins.map(({ summary }) => summary));
    const shapes = valueAt(interceptor, '/allOf/0/then/allOf');
    expect(shapes).toHaveLength(plugins.length);
    expect(valueAt(shapes, '/0/then/properties/spec/properties/config/properties/topic/description')).toMatch(
      /^Regular expression/,
    );
  });
});

function withClass(pluginClass: Json, config: Json): Json {
  return resource('Interceptor', { name: 'a' }, { pluginClass, priority: 1, config });
}
