import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { makeCrd } from '../../src/controller/crd.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');

it.each(['kubernetes/crd.yaml', 'chart/crds/gatewayconfigs.yaml'])(
  'deploy/%s is made of the shape of the resource: -u writes it',
  async (file) => {
    const text = `# Made of src/controller/resource-shape.ts: npx vitest run test/controller/crd.test.ts -u\n${stringify(makeCrd(), { lineWidth: 0 })}`;
    await expect(text).toMatchFileSnapshot(join(DEPLOY, file));
  },
);
