import { describe, expect, it } from 'vitest';
import { completeAt } from '../../src/editor/complete.ts';
import { hoverAt } from '../../src/editor/hover.ts';
import { definitionsAt, findSymbols } from '../../src/editor/navigate.ts';
import { foldingOf, lensesOf, outlineOf } from '../../src/editor/outline.ts';
import { renamableAt } from '../../src/editor/rename.ts';
import { lookAt } from '../support/look.ts';
import { projectOf } from '../support/documents.ts';

const SECRET = 'hunter2-hunter2-hunter2';

const FILES: Record<string, string> = {
  'gwconf.yaml': projectOf({
    dev: 'files: [base], variables: { partitions: 3 }',
    prod: 'files: [base, prod], variables: { partitions: 24 }',
  }),
  'base/all.yaml': `apiVersion: gateway/v2
kind: VirtualCluster
metadata: { name: shop }
spec: { aclEnabled: false }
---
apiVersion: gateway/v2
kind: GatewayServiceAccount
metadata: { name: shop-app, vCluster: shop }
spec: { type: LOCAL }
---
apiVersion: gateway/v2
kind: AliasTopic
metadata: { name: orders, vCluster: shop }
spec: { physicalName: orders-v1 }
---
apiVersion: gateway/v2
kind: AliasTopic
metadata: { name: plain, vCluster: passthrough }
spec: { physicalName: plain-v1 }
---
apiVersion: gateway/v2
kind: Interceptor
metadata: { name: mask, scope: { vCluster: shop } }
spec:
  pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
  priority: 10
  config:
    topic: orders
    schemaRegistryConfig: { host: 'https://sr.example.com', additionalConfigs: { basic.auth.user.info: 'u:${SECRET}' } }
    policies: [{ name: a, rule: { type: MASK_ALL }, fields: [card] }]
---
apiVersion: gateway/v2
kind: Interceptor
metadata: { name: size, scope: { vCluster: shop } }
spec:
  pluginClass: io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin
  priority: 20
  config:
    topic: '.*'
    numPartition:
      min: 1
      max: \${var.partitions}
      action: BLOCK
`,
  'prod/over.yaml': `apiVersion: gateway/v2
kind: Interceptor
overlay: true
metadata: { name: mask, scope: { vCluster: shop } }
spec: { priority: 99 }
`,
};
const look = lookAt(FILES);

/** The text of the hover on the first such text of a file. */
function on(path: string, text: string, within = text): string {
  const whole = FILES[path] ?? '';
  const offset = whole.indexOf(text) + text.lastIndexOf(within) + 1;
  const contents = hoverAt(look, look.files.get(path) ?? { path, text: '' }, offset)?.contents;
  return contents !== undefined && typeof contents === 'object' && 'value' in contents ? contents.value : '';
}

describe('hover', () => {
  it('says what a field means, as explain does', () => {
    expect(on('base/all.yaml', 'priority')).toContain('Interceptors with lower priority run first');
    expect(on('base/all.yaml', 'priority')).toContain('- Type: integer');
    expect(on('base/all.yaml', 'kind: AliasTopic', 'AliasTopic')).toContain('An alias of a topic');
    expect(on('base/all.yaml', 'io.conduktor.gateway.interceptor.Field')).toContain('- Used in: Interceptor');
    expect(on('gwconf.yaml', 'files')).toContain('Folders and files, relative to this file');
  });

  it('shows a value after layers and variables, by environment', () => {
    expect(on('base/all.yaml', 'priority: 10', '10')).toMatch(/Value:\n- dev: 10\n- prod: 99/);
    expect(on('prod/over.yaml', 'priority: 99', '99')).toContain('Value:\n- prod: 99');
    expect(on('base/all.yaml', '${var.partitions}')).toMatch(/Value:\n- dev: 3\n- prod: 24/);
    expect(on('base/all.yaml', 'min: 1', '1')).not.toContain('Value:'); // just what is written
  });

  it('says whom an interceptor touches, and what protects a topic', () => {
    const interceptor = on('base/all.yaml', 'name: mask', 'mask');
    expect(interceptor).toContain(
      'Runs for 1 client and all other clients in dev: shop-app. It masks 1 topic: orders.',
    );
    const topic = on('base/all.yaml', 'name: orders', 'orders');
    expect(topic).toContain(
      'Protection in dev:\n- masking by Interceptor/mask@vCluster=shop, for 1 client and all other clients',
    );
    expect(on('base/all.yaml', 'name: plain', 'plain')).not.toContain('masking');
  });

  it('says that an interceptor perhaps protects a topic where its own has no value here', () => {
    const text = FILES['base/all.yaml']?.replace('topic: orders', 'topic: ${TOPIC}') ?? '';
    const open = lookAt({ ...FILES, 'base/all.yaml': text });
    const file = open.files.get('base/all.yaml') ?? { path: '', text: '' };
    const hover = JSON.stringify(hoverAt(open, file, text.indexOf('name: orders') + 7));
    expect(hover).toContain('- perhaps masking by Interceptor/mask@vCluster=shop');
    expect(JSON.stringify(lensesOf(open, file))).toContain('perhaps masking');
  });

  it('says what a reference is', () => {
    expect(on('base/all.yaml', 'vCluster: shop', 'shop')).toContain(
      'VirtualCluster/shop, declared at base/all.yaml:1.',
    );
    expect(on('base/all.yaml', 'vCluster: passthrough', 'passthrough')).toContain(
      'VirtualCluster/passthrough always exists.',
    );
  });

  it('never shows a secret, wherever the cursor is, as no other answer does', () => {
    for (const [path, text] of Object.entries(FILES)) {
      const file = look.files.get(path) ?? { path, text: '' };
      const whole = JSON.stringify([
        outlineOf(file),
        lensesOf(look, file),
        foldingOf(file),
        findSymbols(look, '', String),
      ]);
      expect(whole).not.toContain('hunter2');
      const near = text.indexOf(SECRET);
      for (const { index: offset } of text.matchAll(/(?<=\W)\w|(?<=\w)\W/g)) {
        if (offset % 4 > 0 && Math.abs(offset - near) > 60) continue;
        const found = [
          hoverAt(look, file, offset),
          completeAt(look, file, offset),
          renamableAt(look, file, offset),
          definitionsAt(look, file, offset, String),
        ];
        expect(JSON.stringify(found), `${path} ${text.slice(offset - 20, offset)}`).not.toContain('hunter2');
      }
    }
    expect(on('base/all.yaml', SECRET)).toContain('Type: text');
  });

  it('shows no secret of a broken file, either', () => {
    const text = FILES['base/all.yaml'] ?? '';
    const at = text.indexOf(SECRET);
    for (const broken of [
      text.replace("info: '", "info '"),
      text.replace("info: '", 'info '),
      text.replace('host:', '{'),
    ]) {
      const file = { path: 'base/all.yaml', text: broken };
      for (let offset = at - 100; offset <= at + 50; offset += 4)
        expect(JSON.stringify(hoverAt(look, file, offset) ?? '')).not.toContain('hunter2');
    }
  });
});
