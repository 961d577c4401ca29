export type Severity = 'error' | 'warning' | 'info';

/** All problem codes with their default severity and meaning. */
export const PROBLEM_CODES = {
  'unreadable-file': error('a file or folder cannot be read'),
  'no-resources': error('a named file or folder contains no resources'),
  'foreign-document': info('documents of other tools in a folder, which are not read'),
  'misnamed-project': error('a project file that is not called gwconf.yaml, or is read as resources'),
  'invalid-yaml': error('the text is not YAML or JSON'),
  'inexact-number': error('a number that JSON cannot carry as it is written'),
  'bad-placeholder': error('a ${…} that is not a valid placeholder'),
  'missing-variable': error('a ${VAR} that is not set'),
  'variable-not-allowed': error('a ${VAR} that files must not use'),
  'unresolved-source': error('a source, such as ${file:PATH} or ${vault:PATH#field}, without a value'),
  'exposed-secret': error(
    'a value that may be secret, in a name, a key or a reference, which all output shows',
  ),
  'unknown-kind': error('an unknown kind or apiVersion'),
  'read-only-kind': error('a kind that only the gateway creates'),
  'unknown-field': lowerableError('a field that the kind does not have'),
  'missing-field': error('a required field is missing'),
  'invalid-value': error('a value with a wrong type, out of range, or not in the allowed set'),
  'conflicting-fields': error('fields of one resource that exclude or require each other'),
  'server-managed': warning('a field that the gateway sets; it is never sent'),
  'unusual-value': warning('a value that the gateway may accept, but that is probably a mistake'),
  'override-without-value': lowerableError('a rule with action OVERRIDE and no value'),
  'mask-without-length': error('a mask of the first or last characters without their number'),
  'incomplete-config': warning('a plugin config that lacks a setting, so that it does nothing or not all'),
  'min-above-max': error('a minimum above the maximum'),
  'invalid-pattern': lowerableError('a regular expression that does not compile'),
  'unlikely-pattern': warning(
    'a regular expression that looks like a glob, matches no topic, or only resembles one',
  ),
  'unjudged-pattern': note('a regular expression in Java syntax that gwconf cannot check'),
  'unknown-kms': lowerableError('a key in a key management service that is not in kmsConfig'),
  'unsettled-spelling': warning('a key that the vendor documents in two spellings'),
  'unknown-class': { ...warning('an unknown plugin class; its config is sent unchanged'), isLowerable: true },
  'imaginary-class': warning('a plugin class that never existed, though some examples mention it'),
  'renamed-class': lowerableError('a plugin class under a name from before gateway 3.0'),
  'removed-class': {
    ...warning('a plugin class that later gateway versions do not have'),
    isLowerable: true,
  },
  'deprecated-class': warning('a deprecated plugin class'),
  'deprecated-value': warning('a deprecated value'),
  'newer-field': lowerableError('a field or value that needs a later gateway version'),
  'reserved-name': error('a name that always exists and cannot be declared'),
  'duplicate-resource': error('a resource that is declared twice'),
  'duplicate-value': error('a unique value in two resources'),
  'undeclared-group': error('a user mapping with a group that is in no file'),
  'unreachable-overlay': error('an overlay without a resource in an earlier layer'),
  'overlay-not-allowed': safetyRule('an overlay by a file that overlays in gwconf.yaml does not name'),
  'overlaid-file': note('a file whose documents another file changes'),
  'not-managed': error('a resource or removal that manages does not match'),
  contradiction: error('an object that is both declared and removed, or both declared and external'),
  'invalid-move': error('a rename whose old and new name do not fit'),
  'expired-removal': warning('a removal past its expiry date'),
  'unmatched-target': lowerableError('a --target, or an address of --exclude, that matches nothing'),
  'not-found': error('an address without an object on the gateway'),
  'unmatched-ignore': warning('an ignore rule that matches nothing'),
  'unmatched-differs': warning('an entry of differs without a difference'),
  protected: safetyRule('a delete, replacement or change of a protected object'),
  'over-limit': safetyRule('a run that deletes or updates more than its limits allow'),
  exposure: safetyRule('a change that leaves clients without a protection type until a later one'),
  'lost-protection': { ...warning('a protection type that clients lose permanently'), blocks: true },
  'weakened-protection': { ...warning('a protection type of clients that gets weaker'), blocks: true },
  'unjudged-protection': {
    ...info('a protection type of clients that changes, and may get weaker'),
    blocks: true,
  },
  'taken-over-loss': {
    ...warning('a loss of protection that only the comparison with the base tells'),
    blocks: true,
  },
  'unjudged-order': {
    ...warning('a plan that changes too much to look for gaps in parts of protections'),
    isLowerable: false,
  },
  'expired-exposure': warning('an entry of exposures whose last day has passed'),
  'long-lifetime': safetyRule('a token that would be valid for longer than gwconf.yaml allows'),
  'no-token': error('an account or a gateway that has no tokens'),
  'invalid-token': error('a file without a token, or with several'),
  'omitted-scope': note('an interceptor without a scope, which is not global'),
  'overriding-name': note('an interceptor that runs instead of another with the same name'),
  'priority-tie': warning(
    'interceptors with the same priority for the same clients, so that their order is undefined',
  ),
  'early-mask': warning('a mask that runs before what it masks is decrypted'),
  'unexpected-chain': warning('a gateway that runs other interceptors for a client than its scopes say'),
  'unmatched-interceptor': warning('an interceptor that applies to no client'),
  'failed-expectation': error('an expectation of a test that does not hold'),
  'unmatched-expectation': warning('a test that names something that no file has'),
  'unmatched-policy': warning('a policy for environments of which none is there, or none is chosen'),
  'security-mode': lowerableError('something that the security mode of the environment does not allow'),
  'physical-cluster': lowerableError(
    'alias topics on physical clusters that the virtual cluster does not allow',
  ),
  'literal-secret': warning('a secret in clear text in a file'),
  'looks-like-secret': warning('text that looks like a secret but is not known to be one; it is shown'),
  'repeated-item': warning('a repeated item in a list whose order does not matter'),
  'unexplained-ignore': warning('a gwconf-ignore comment without a reason'),
  'not-formatted': warning('a file that cannot be formatted without changing its meaning'),
  'similar-names': warning(
    'names that differ only in case, in letters that look alike, or in invisible ones',
  ),
  'shared-prefix': warning('a virtual cluster whose name is the start of another'),
  'dangling-reference': warning('a reference to an object that does not exist'),
  'cannot-replace': error('a replacement of an object that others refer to or that contains data'),
  'still-referenced': error('a delete of an object that others still refer to'),
  'order-cycle': error('changes that wait for each other'),
  'unread-kinds': warning('kinds that the gateway describes and gwconf cannot manage'),
  'kind-unavailable': error('the gateway does not serve this kind'),
  'prune-without-manages': safetyRule('--prune without manages'),
  'empty-prune': safetyRule('--prune with a file or folder that contains no resources'),
  'invalid-policy': error('a policy that cannot be used, or that judges its own examples otherwise'),
  'unlisted-policy': error('a policy file that gwconf.yaml does not list'),
  'loosened-rule': {
    ...warning('a rule, policy or test that allows more on the branch than on --base'),
    blocks: true,
  },
  'no-longer-declared': {
    ...warning(
      'an object or environment of the base that the branch no longer declares, and that stays as it is on the gateway',
    ),
    blocks: true,
  },
  'contradicting-environments': lowerableError(
    'environments with one gateway whose files contradict each other',
  ),
  'no-base': error('a --base that git does not have here'),
  'unknown-causes': warning('changes whose cause cannot be told'),
  'unwanted-cause': safetyRule('changes with a cause that --fail-on names'),
  'secret-unavailable': error('a secret of a saved plan is missing or has changed'),
  'invalid-plan': error('a saved plan that cannot be read or was altered'),
  'unchecked-signature': warning('a signed plan, and no key to check the signature'),
  'other-topics': warning('a saved plan that was judged by another list of topics'),
  'other-input': error('a saved plan that was made from other files'),
  'invalid-journal': error('a journal that cannot be read'),
  'run-in-progress': error('another run works on the same gateway'),
  'unwritable-file': error('a file that cannot be written'),
  'unwritable-journal': error('a journal that cannot be written'),
  'invalid-snapshot': error('a snapshot that cannot be read or was altered'),
  'old-snapshot': warning('a snapshot that is older than a day'),
  'invalid-state': error('a state file of Terraform or of the official CLI that cannot be read'),
  'unclear-state': warning('an object of a state file that needs a second look, or a state file without one'),
  'cannot-tell': info('a field that could not be compared because its secret or variable has no value'),
  'expired-acceptance': error('a difference that was ignored until a day that has passed'),
  'unused-acceptance': warning('an entry of ignore with a last day that has no drift to ignore'),
  'not-imported': warning('what the gateway has and import does not take into the files'),
  'removed-endpoint': warning('a use of an endpoint that gateway 3.21.0 removes'),
  'phantom-difference': error('an object that differs from itself: a bug of gwconf'),
  'changed-interceptors': error('a client that would get other interceptors after a migration'),
  'stale-plan': error('the gateway has changed since the plan was made'),
  'expired-plan': error('a saved plan that is too old'),
  'applied-plan': error('a saved plan that was already applied'),
  'wrong-target': error('a saved plan or snapshot of another gateway, environment, repository or commit'),
  'host-not-allowed': safetyRule('a gateway in gwconf.yaml that GWCONF_ALLOWED_HOSTS does not allow'),
  'plain-http': {
    ...warning('a password or header over plain http to another machine; in CI an error'),
    blocks: true,
  },
  'default-credentials': warning('the default user and password for a host that others can reach'),
  overtaken: error('an object that another client changed while a run wrote it'),
  'gateway-error': error('the gateway rejected the request, or its response is invalid'),
  'connection-error': error('the gateway cannot be reached or is not trusted'),
} satisfies Readonly<Record<string, CodeMeaning>>;
type CodeMeaning = {
  readonly severity: Severity;
  readonly meaning: string;
  /** A safety rule stops a run that could be done; other errors are mistakes. */
  readonly blocks?: true;
  /** Whether a project may lower it. Default: unless it is an error. Who approves has to know of a risk that could not be judged. */
  readonly isLowerable?: boolean;
  /** Whether it tells of files that are as they are meant, so that `validate` tells it, and others count it. */
  readonly isNote?: true;
};

function error(meaning: string): CodeMeaning {
  return { severity: 'error', meaning };
}

/** An error that can be intended, such as a field of a newer gateway. */
function lowerableError(meaning: string): CodeMeaning {
  return { severity: 'error', meaning, isLowerable: true };
}

function warning(meaning: string): CodeMeaning {
  return { severity: 'warning', meaning };
}

function info(meaning: string): CodeMeaning {
  return { severity: 'info', meaning };
}

function note(meaning: string): CodeMeaning {
  return { severity: 'info', meaning, isNote: true };
}

function safetyRule(meaning: string): CodeMeaning {
  return { severity: 'error', meaning, blocks: true };
}

/** A code of the table, or that of a policy: `policy/no-wildcards`. */
export type ProblemCode = keyof typeof PROBLEM_CODES | `policy/${string}`;

const POLICY = safetyRule('a policy that is not met');

export function meaningOf(code: string): CodeMeaning | undefined {
  const codes: Readonly<Record<string, CodeMeaning>> = PROBLEM_CODES;
  return isPolicy(code) ? POLICY : Object.hasOwn(codes, code) ? codes[code] : undefined;
}

export function isPolicy(code: string): code is `policy/${string}` {
  return /^policy\/./.test(code);
}

/** Whether a problem with this code is a safety rule. */
export function blocks(code: string): boolean {
  return meaningOf(code)?.blocks === true;
}
