import { describe } from 'vitest';
import { startApiServer } from '../support/kubernetes/api-server.ts';
import { controllerContract } from '../support/kubernetes/contract.ts';

describe('the controller, with an API server in memory', () => {
  controllerContract(startApiServer);
});
