import type { JsonObject } from '../../model/json/json.ts';
import { projectSchema } from '../project/project-schema.ts';

/** The project file, to explain it and to make a template of it. */
export type ProjectForm = {
  readonly name: string;
  readonly apiVersion: string;
  readonly summary: string;
  /** The JSON Schema of the whole file. */
  readonly whole: JsonObject;
  readonly example: JsonObject;
};

export const projectForm: ProjectForm = {
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
