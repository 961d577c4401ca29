export type Severity = 'error' | 'warning' | 'info';

/** Every code that a problem can have, the severity it has unless its own rule or a project says otherwise, and its meaning. */
export const PROBLEM_CODES = {
  'unreadable-file': { severity: 'error', meaning: 'a file or folder cannot be read' },
  'no-resources': { severity: 'error', meaning: 'a file or folder that was named declares nothing' },
  'invalid-yaml': { severity: 'error', meaning: 'the text is not YAML or JSON' },
  'inexact-number': {
    severity: 'error',
    meaning: 'a number that JavaScript and JSON clients cannot carry exactly',
  },
  'bad-placeholder': {
    severity: 'error',
    meaning: 'something in ${…} that is no placeholder of ours',
  },
  'missing-variable': { severity: 'error', meaning: 'a ${VAR} that the environment does not have' },
  'unresolved-source': {
    severity: 'error',
    meaning: 'a ${file:PATH} or ${exec:NAME} that gives no value',
  },
  'exposed-secret': { severity: 'error', meaning: 'a secret in a name or a key, which everybody sees' },
  'unknown-kind': { severity: 'error', meaning: 'a kind or apiVersion that gwconf does not know' },
  'read-only-kind': { severity: 'error', meaning: 'a kind that the gateway makes by itself' },
  'unknown-field': { severity: 'error', meaning: 'a field that the kind does not have' },
  'missing-field': { severity: 'error', meaning: 'a field that the kind requires' },
  'invalid-value': {
    severity: 'error',
    meaning: 'a value of the wrong type, out of bounds, or outside the set of values',
  },
  'conflicting-fields': {
    severity: 'error',
    meaning: 'fields of one resource that exclude or require each other',
  },
  'server-managed': { severity: 'warning', meaning: 'a field that the gateway owns; it is never sent' },
  'unusual-value': { severity: 'warning', meaning: 'a value that the API takes but other tools refuse' },
  'override-without-value': {
    severity: 'error',
    meaning: 'a rule that overrides and does not say with what',
  },
  'mask-without-length': {
    severity: 'error',
    meaning: 'a mask of the first or last characters that does not say how many',
  },
  'min-above-max': { severity: 'error', meaning: 'a smallest value above the largest one' },
  'invalid-pattern': { severity: 'error', meaning: 'a regular expression that cannot be compiled' },
  'unjudged-pattern': {
    severity: 'info',
    meaning: "a regular expression in syntax of Java's own, which gwconf cannot judge",
  },
  'unknown-kms': {
    severity: 'error',
    meaning: 'a key in a key management service that kmsConfig does not have',
  },
  'unsettled-spelling': { severity: 'warning', meaning: "a key that the vendor's pages spell in two ways" },
  'unknown-class': {
    severity: 'warning',
    meaning: 'a plugin class that gwconf does not know; its config is sent as it is',
  },
  'imaginary-class': {
    severity: 'warning',
    meaning: 'a plugin class that never existed, though examples of others have it',
  },
  'renamed-class': { severity: 'error', meaning: 'a plugin class under a name from before gateway 3.0' },
  'removed-class': { severity: 'warning', meaning: 'a plugin class that later gateways do not have' },
  'deprecated-class': { severity: 'warning', meaning: 'a plugin class that the vendor advises against' },
  'deprecated-value': { severity: 'warning', meaning: 'a value that the vendor advises against' },
  'newer-field': { severity: 'error', meaning: 'a field or value that came with a later gateway' },
  'reserved-name': { severity: 'error', meaning: 'a name that always exists and cannot be declared' },
  'duplicate-resource': { severity: 'error', meaning: 'one resource declared twice' },
  'duplicate-value': { severity: 'error', meaning: 'a value that only one resource may have, in two' },
  'undeclared-group': { severity: 'error', meaning: 'a user mapping names a group that no file declares' },
  'unreachable-overlay': {
    severity: 'error',
    meaning: 'an overlay of something that no earlier layer declares',
  },
  'not-managed': {
    severity: 'error',
    meaning: 'something declared or removed outside of what the project says it manages',
  },
  contradiction: {
    severity: 'error',
    meaning: 'an object that is declared and removed, or written and external',
  },
  'invalid-move': { severity: 'error', meaning: 'a rename whose ends do not fit together' },
  'expired-removal': { severity: 'warning', meaning: 'a removal that is past its day' },
  'unmatched-ignore': { severity: 'warning', meaning: 'a rule on what to ignore that matches nothing' },
  protected: {
    severity: 'error',
    meaning: 'a delete, a replacement or a change of what is protected',
    blocks: true,
  },
  'over-limit': {
    severity: 'error',
    meaning: 'a run that deletes or updates more than it may',
    blocks: true,
  },
  'omitted-scope': { severity: 'info', meaning: 'an interceptor without a scope, which is not everybody' },
  'overriding-name': { severity: 'info', meaning: 'an interceptor that runs instead of others of its name' },
  'priority-tie': {
    severity: 'warning',
    meaning: 'interceptors that can meet and have one priority, so that their order is open',
  },
  'unmatched-interceptor': { severity: 'warning', meaning: 'an interceptor that no client can match' },
  'security-mode': {
    severity: 'error',
    meaning: 'something that the security mode of the environment cannot have',
  },
  'physical-cluster': {
    severity: 'error',
    meaning: 'alias topics whose physical clusters the virtual cluster does not allow',
  },
  'literal-secret': { severity: 'warning', meaning: 'a secret written out in a file' },
  'looks-like-secret': {
    severity: 'warning',
    meaning: 'text that looks like a secret in a place where none is known to be; it is shown',
  },
  'repeated-item': { severity: 'warning', meaning: 'one item twice in a list whose order means nothing' },
  'unexplained-ignore': { severity: 'warning', meaning: 'a gwconf-ignore comment without a reason' },
  'not-formatted': {
    severity: 'warning',
    meaning: 'a file that cannot be put in canonical order without changing what it means',
  },
  'dangling-reference': { severity: 'warning', meaning: 'a reference to something that is not there' },
  'cannot-replace': {
    severity: 'error',
    meaning: 'a change that needs delete and create, of something that others or data hang on',
  },
  'still-referenced': { severity: 'error', meaning: 'a delete of something that others still refer to' },
  'order-cycle': { severity: 'error', meaning: 'changes that each wait for another' },
  'kind-unavailable': { severity: 'error', meaning: 'the gateway does not serve this kind' },
  'prune-without-manages': {
    severity: 'error',
    meaning: 'prune was asked for without saying what is managed',
    blocks: true,
  },
  'empty-prune': {
    severity: 'error',
    meaning: 'prune was asked for where a file or folder declares nothing',
    blocks: true,
  },
  'secret-unavailable': {
    severity: 'error',
    meaning: 'a secret of a saved plan cannot be resolved, or is another one now',
  },
  'invalid-plan': { severity: 'error', meaning: 'a saved plan that cannot be read, or was altered' },
  'unchecked-signature': {
    severity: 'warning',
    meaning: 'a saved plan is signed, and there is no key to check the signature with',
  },
  'other-input': { severity: 'error', meaning: 'a saved plan that was made of other files' },
  'invalid-journal': { severity: 'error', meaning: 'a journal of a run that cannot be read' },
  'unwritable-journal': { severity: 'error', meaning: 'the journal of a run cannot be written' },
  'invalid-snapshot': { severity: 'error', meaning: 'a snapshot that cannot be read, or was altered' },
  'old-snapshot': { severity: 'warning', meaning: 'a snapshot that was taken more than a day ago' },
  'cannot-tell': {
    severity: 'info',
    meaning: 'a field that could not be compared, since its secret or variable has no value here',
  },
  'expired-acceptance': { severity: 'error', meaning: 'drift that was accepted until a day that has passed' },
  'unused-acceptance': { severity: 'warning', meaning: 'accepted drift that is not there' },
  'phantom-difference': {
    severity: 'error',
    meaning: 'a resource that differs from itself: a mistake of gwconf',
  },
  'stale-plan': { severity: 'error', meaning: 'the gateway is no longer as the plan saw it' },
  'wrong-target': {
    severity: 'error',
    meaning: 'a saved plan or a snapshot of another gateway or environment',
  },
  'host-not-allowed': {
    severity: 'error',
    meaning: 'gwconf.yaml names a gateway that GWCONF_ALLOWED_HOSTS does not allow',
    blocks: true,
  },
  'default-credentials': {
    severity: 'warning',
    meaning: 'the user and password that every gateway comes with, for a host that others can reach',
  },
  'gateway-error': { severity: 'error', meaning: 'the gateway refused, or could not be understood' },
  'connection-error': { severity: 'error', meaning: 'the gateway cannot be reached, or is not trusted' },
} as const satisfies Readonly<Record<string, CodeMeaning>>;
type CodeMeaning = {
  readonly severity: Severity;
  readonly meaning: string;
  /** A safety rule, and no mistake: what is asked for could be done. */
  readonly blocks?: true;
};
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Whether a problem with this code is a safety rule. */
export function blocks(code: string): boolean {
  const codes: Readonly<Record<string, CodeMeaning>> = PROBLEM_CODES;
  return codes[code]?.blocks === true;
}
