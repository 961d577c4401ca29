import type { JsonObject } from '../../model/json/json.ts';
import { policySchema } from '../project/policy-schema.ts';
import { projectSchema } from '../project/project-schema.ts';
import { testSchema } from '../tests/test-schema.ts';

/** A kind of file that declares no resources, to explain it and to make a template of it. */
export type FileForm = {
  readonly name: string;
  readonly apiVersion: string;
  readonly summary: string;
  /** The JSON Schema of the whole file. */
  readonly whole: JsonObject;
  readonly example: JsonObject;
};

const projectForm: FileForm = {
  name: 'Project',
  apiVersion: 'gwconf/v1',
  summary: 'The project file, gwconf.yaml: environments, their files and their rules.',
  whole: projectSchema,
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'Project',
    environments: {
      prod: {
        gateway: { url: 'https://gateway.example.com:8888', user: 'admin' },
        files: ['gateway'],
      },
    },
  },
};

const testForm: FileForm = {
  name: 'Test',
  apiVersion: 'gwconf/v1',
  summary: 'Tests, in files named *.gwtest.yaml: which interceptors run for whom.',
  whole: testSchema,
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'Test',
    cases: [
      {
        name: 'everybody is audited',
        as: '*',
        expect: { protectedBy: ['audit'] },
      },
    ],
  },
};

const policyForm: FileForm = {
  name: 'Policy',
  apiVersion: 'gwconf/v1',
  summary:
    'Policies, in files named *.policy.yaml that gwconf.yaml lists: rules over objects, changes and clients.',
  whole: policySchema,
  example: {
    apiVersion: 'gwconf/v1',
    kind: 'Policy',
    metadata: { name: 'low-priorities' },
    spec: {
      expression: '!has(object.spec.priority) || object.spec.priority < 1000',
      message: 'the priority is 1000 or higher',
      examples: {
        pass: [{ object: { spec: { priority: 10 } } }],
        fail: [{ object: { spec: { priority: 1000 } } }],
      },
    },
  },
};

/** The kinds of files that declare no resources. */
export const fileForms: readonly FileForm[] = [projectForm, testForm, policyForm];
