import { describe } from 'vitest';
import { KUBERNETES, startRealApi } from '../support/kubernetes/real-api.ts';
import { controllerContract } from '../support/kubernetes/contract.ts';

describe.skipIf(KUBERNETES === undefined)('the controller, with an API server of Kubernetes', () => {
  controllerContract(startRealApi);
});
