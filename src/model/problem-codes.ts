export type Severity = 'error' | 'warning' | 'info';

/** Every code that a problem can have, the severity it has unless its own rule or a project says otherwise, and its meaning. */
export const PROBLEM_CODES = {
  'unreadable-file': { severity: 'error', meaning: 'a file or folder cannot be read' },
  'no-resources': { severity: 'error', meaning: 'a named file or folder contains no resources' },
  'invalid-yaml': { severity: 'error', meaning: 'the text is not YAML or JSON' },
  'inexact-number': {
    severity: 'error',
    meaning: 'a number that JavaScript and JSON clients cannot represent exactly',
  },
  'bad-placeholder': {
    severity: 'error',
    meaning: 'a ${…} that is not a valid placeholder',
  },
  'missing-variable': { severity: 'error', meaning: 'a ${VAR} that is not set' },
  'unresolved-source': {
    severity: 'error',
    meaning: 'a ${file:PATH} or ${exec:NAME} without a value',
  },
  'exposed-secret': { severity: 'error', meaning: 'a secret in a name or a key, which reports show' },
  'unknown-kind': { severity: 'error', meaning: 'an unknown kind or apiVersion' },
  'read-only-kind': { severity: 'error', meaning: 'a kind that only the gateway creates' },
  'unknown-field': { severity: 'error', meaning: 'a field that the kind does not have' },
  'missing-field': { severity: 'error', meaning: 'a required field is missing' },
  'invalid-value': {
    severity: 'error',
    meaning: 'a value with a wrong type, out of range, or not in the allowed set',
  },
  'conflicting-fields': {
    severity: 'error',
    meaning: 'fields of one resource that exclude or require each other',
  },
  'server-managed': { severity: 'warning', meaning: 'a field that the gateway sets; it is never sent' },
  'unusual-value': { severity: 'warning', meaning: 'a value that the API accepts but other tools reject' },
  'override-without-value': {
    severity: 'error',
    meaning: 'a rule with action OVERRIDE and no value',
  },
  'mask-without-length': {
    severity: 'error',
    meaning: 'a mask of the first or last characters without their number',
  },
  'min-above-max': { severity: 'error', meaning: 'a minimum above the maximum' },
  'invalid-pattern': { severity: 'error', meaning: 'a regular expression that does not compile' },
  'unjudged-pattern': {
    severity: 'info',
    meaning: 'a regular expression in Java syntax that gwconf cannot check',
  },
  'unknown-kms': {
    severity: 'error',
    meaning: 'a key in a key management service that is not in kmsConfig',
  },
  'unsettled-spelling': { severity: 'warning', meaning: 'a key that the vendor documents in two spellings' },
  'unknown-class': {
    severity: 'warning',
    meaning: 'an unknown plugin class; its config is sent unchanged',
  },
  'imaginary-class': {
    severity: 'warning',
    meaning: 'a plugin class that never existed, though some examples mention it',
  },
  'renamed-class': { severity: 'error', meaning: 'a plugin class under a name from before gateway 3.0' },
  'removed-class': { severity: 'warning', meaning: 'a plugin class that later gateway versions do not have' },
  'deprecated-class': { severity: 'warning', meaning: 'a deprecated plugin class' },
  'deprecated-value': { severity: 'warning', meaning: 'a deprecated value' },
  'newer-field': { severity: 'error', meaning: 'a field or value that needs a later gateway version' },
  'reserved-name': { severity: 'error', meaning: 'a name that always exists and cannot be declared' },
  'duplicate-resource': { severity: 'error', meaning: 'a resource that is declared twice' },
  'duplicate-value': { severity: 'error', meaning: 'a unique value in two resources' },
  'undeclared-group': { severity: 'error', meaning: 'a user mapping with a group that is in no file' },
  'unreachable-overlay': {
    severity: 'error',
    meaning: 'an overlay without a resource in an earlier layer',
  },
  'not-managed': {
    severity: 'error',
    meaning: 'a resource or removal that manages does not match',
  },
  contradiction: {
    severity: 'error',
    meaning: 'an object that is both declared and removed, or both declared and external',
  },
  'invalid-move': { severity: 'error', meaning: 'a rename whose old and new name do not fit' },
  'expired-removal': { severity: 'warning', meaning: 'a removal past its expiry date' },
  'unmatched-ignore': { severity: 'warning', meaning: 'an ignore rule that matches nothing' },
  protected: {
    severity: 'error',
    meaning: 'a delete, replacement or change of a protected object',
    blocks: true,
  },
  'over-limit': {
    severity: 'error',
    meaning: 'a run that deletes or updates more than its limits allow',
    blocks: true,
  },
  'omitted-scope': { severity: 'info', meaning: 'an interceptor without a scope, which is not global' },
  'overriding-name': {
    severity: 'info',
    meaning: 'an interceptor that runs instead of another with the same name',
  },
  'priority-tie': {
    severity: 'warning',
    meaning: 'interceptors with the same priority for the same clients, so that their order is undefined',
  },
  'unmatched-interceptor': { severity: 'warning', meaning: 'an interceptor that applies to no client' },
  'security-mode': {
    severity: 'error',
    meaning: 'something that the security mode of the environment does not allow',
  },
  'physical-cluster': {
    severity: 'error',
    meaning: 'alias topics on physical clusters that the virtual cluster does not allow',
  },
  'literal-secret': { severity: 'warning', meaning: 'a secret in clear text in a file' },
  'looks-like-secret': {
    severity: 'warning',
    meaning: 'text that looks like a secret but is not known to be one; it is shown',
  },
  'repeated-item': { severity: 'warning', meaning: 'a repeated item in a list whose order does not matter' },
  'unexplained-ignore': { severity: 'warning', meaning: 'a gwconf-ignore comment without a reason' },
  'not-formatted': {
    severity: 'warning',
    meaning: 'a file that cannot be formatted without changing its meaning',
  },
  'dangling-reference': { severity: 'warning', meaning: 'a reference to an object that does not exist' },
  'cannot-replace': {
    severity: 'error',
    meaning: 'a replacement of an object that others refer to or that contains data',
  },
  'still-referenced': { severity: 'error', meaning: 'a delete of an object that others still refer to' },
  'order-cycle': { severity: 'error', meaning: 'changes that wait for each other' },
  'kind-unavailable': { severity: 'error', meaning: 'the gateway does not serve this kind' },
  'prune-without-manages': {
    severity: 'error',
    meaning: '--prune without manages',
    blocks: true,
  },
  'empty-prune': {
    severity: 'error',
    meaning: '--prune with a file or folder that contains no resources',
    blocks: true,
  },
  'secret-unavailable': {
    severity: 'error',
    meaning: 'a secret of a saved plan is missing or has changed',
  },
  'invalid-plan': { severity: 'error', meaning: 'a saved plan that cannot be read or was altered' },
  'unchecked-signature': {
    severity: 'warning',
    meaning: 'a signed plan, and no key to check the signature',
  },
  'other-input': { severity: 'error', meaning: 'a saved plan that was made from other files' },
  'invalid-journal': { severity: 'error', meaning: 'a journal that cannot be read' },
  'unwritable-journal': { severity: 'error', meaning: 'a journal that cannot be written' },
  'invalid-snapshot': { severity: 'error', meaning: 'a snapshot that cannot be read or was altered' },
  'old-snapshot': { severity: 'warning', meaning: 'a snapshot that is older than a day' },
  'cannot-tell': {
    severity: 'info',
    meaning: 'a field that could not be compared because its secret or variable has no value',
  },
  'expired-acceptance': {
    severity: 'error',
    meaning: 'a difference that was ignored until a day that has passed',
  },
  'unused-acceptance': {
    severity: 'warning',
    meaning: 'an entry of ignore with a last day that has no drift to ignore',
  },
  'phantom-difference': {
    severity: 'error',
    meaning: 'an object that differs from itself: a bug of gwconf',
  },
  'stale-plan': { severity: 'error', meaning: 'the gateway has changed since the plan was made' },
  'wrong-target': {
    severity: 'error',
    meaning: 'a saved plan or snapshot of another gateway or environment',
  },
  'host-not-allowed': {
    severity: 'error',
    meaning: 'a gateway in gwconf.yaml that GWCONF_ALLOWED_HOSTS does not allow',
    blocks: true,
  },
  'default-credentials': {
    severity: 'warning',
    meaning: 'the default user and password for a host that others can reach',
  },
  'gateway-error': {
    severity: 'error',
    meaning: 'the gateway rejected the request, or its response is invalid',
  },
  'connection-error': { severity: 'error', meaning: 'the gateway cannot be reached or is not trusted' },
} as const satisfies Readonly<Record<string, CodeMeaning>>;
type CodeMeaning = {
  readonly severity: Severity;
  readonly meaning: string;
  /** A safety rule, and no mistake: what is asked for could be done. */
  readonly blocks?: true;
};
/** A code of the table, or that of a policy: `policy/no-wildcards`. */
export type ProblemCode = keyof typeof PROBLEM_CODES | `policy/${string}`;

const POLICY: CodeMeaning = { severity: 'error', meaning: 'a policy that is not met', blocks: true };

/** What a code means; undefined if there is no such code. */
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
