/**
 * gwconf as a library: what our own command line uses, any program may.
 *
 *     const { value: desired, problems } = load(files, catalog, (name) => process.env[name]);
 *     const live = await readLive(gateway, [...catalog.kinds.values()]);
 *     const plan = makePlan(desired, live, catalog.kinds, { gateway: gateway.url });
 *     for await (const event of applyPlan(plan.value.changes, gateway, catalog.kinds, { clock: systemClock })) { … }
 */
export type { Json, JsonObject, Pattern, Pointer } from './model/json/json.ts';
export { globPattern } from './model/text/glob.ts';
export { groupCommit } from './model/group-commit.ts';
export type { Address, Identity, Resource, Scope } from './model/resource.ts';
export { kindOf, printAddress } from './model/resource.ts';
export type {
  Context,
  FieldProblem,
  Kind,
  KindForm,
  KindSet,
  Part,
  Reference,
  SurveyProblem,
} from './model/kind.ts';
export type { Catalog, OwnKind, Piece } from './model/own-kind.ts';
export { defineKind } from './schema/define-kind.ts';
export { defineOwnKind } from './model/own-kind.ts';
export { identify } from './model/identity.ts';
export { comparable, normalForm, requestBody } from './model/normal/normal-form.ts';
export type {
  Checked,
  DocumentRef,
  Frame,
  LocatedProblem,
  Place,
  Position,
  Problem,
  SourceFile,
} from './model/problem.ts';
export type { ProblemCode, Severity } from './model/problem-codes.ts';
export { hasErrors, isBlocked } from './model/problem.ts';
export { PROBLEM_CODES } from './model/problem-codes.ts';
export type {
  ExternalRule,
  IgnoreRule,
  Limit,
  Limited,
  Limits,
  ProtectRule,
  Removal,
  Rules,
} from './model/rules.ts';
export type { Lint } from './model/severity.ts';
export { isLowerable, judge } from './model/severity.ts';
export type { Declared, DesiredState, LiveState, Template } from './model/state.ts';
export { suggest } from './model/text/suggest.ts';

export { asDeclared } from './schema/load/as-declared.ts';
export { catalog } from './schema/kinds/index.ts';
export type { Scalar, Sourced, Variables } from './schema/yaml/interpolate.ts';
export { isSource } from './schema/yaml/interpolate.ts';
export type { Explained } from './schema/explain/explain.ts';
export { explain } from './schema/explain/explain.ts';
export { formatFile } from './schema/fmt/fmt.ts';
export { editorSchema } from './schema/json-schema.ts';
export type { Loaded } from './schema/load/load.ts';
export { load, sourcesIn } from './schema/load/load.ts';
export type { Environment, Exec, Project } from './schema/project/project.ts';
export { parseProject, unfilledIn } from './schema/project/project.ts';
export { projectSchema } from './schema/project/project-schema.ts';
export { limitOf } from './schema/project/project-rules.ts';
export { printYaml } from './schema/yaml/print.ts';
export { locateProblems } from './schema/load/locate.ts';
export { nearName } from './schema/explain/names.ts';
export { template } from './schema/explain/template.ts';
export { readTemplate, readValue } from './schema/load/reread.ts';

export type { FieldChange } from './plan/diff/field-change.ts';
export type { Action, Change, ChangeId, Counts, Plan, Selection, SecretStatus } from './plan/change/plan.ts';
export { countActions, countChanges, idOf, isNarrowed, templatesOf } from './plan/change/plan.ts';
export type { PlanOptions } from './plan/make-plan.ts';
export { makePlan } from './plan/make-plan.ts';
export type { PlanView, ShownPlan } from './plan/secrets/redact.ts';
export { HIDDEN, redact, redactDesired } from './plan/secrets/redact.ts';
export { checkFiles, checkWorld } from './plan/checks/checks.ts';
export type { World } from './plan/checks/world.ts';
export { decodePlan, encodePlan } from './plan/saved/decode-plan.ts';
export type { SavedPrecondition, SavedChange, SavedPlan, SecretSource } from './plan/saved/saved-plan.ts';
export { inputDigest, sealPlan } from './plan/saved/saved-plan.ts';
export type { ResolveSecret } from './plan/saved/unseal-plan.ts';
export { unsealPlan } from './plan/saved/unseal-plan.ts';
export { guardUndo } from './plan/undo/guard-undo.ts';
export { checkLimits, DEFAULT_LIMITS, limitText } from './plan/checks/limits.ts';
export type { Loss } from './plan/change/plan.ts';
export type { Undoes } from './plan/change/plan.ts';
export { sealUndo } from './plan/undo/seal-undo.ts';
export { makeMatcher } from './plan/change/select.ts';
export type { Masker } from './plan/secrets/masker.ts';
export { makeMasker } from './plan/secrets/masker.ts';
export { secretTexts } from './plan/secrets/hide-secrets.ts';
export type { Undo } from './plan/undo/undo.ts';
export { remainingChanges, makeUndo } from './plan/undo/undo.ts';
export { restoreLiveSecrets } from './plan/saved/live-secrets.ts';
export type { LiveSnapshot } from './plan/saved/live-snapshot.ts';
export { decodeLiveSnapshot, encodeLiveSnapshot, takeLiveSnapshot } from './plan/saved/live-snapshot.ts';
export type { AcceptedDrift, Drift, DriftField, JudgedDrift } from './plan/drift/drift.ts';
export { findDrift, judgeDrift } from './plan/drift/drift.ts';
export { restoreSnapshot } from './plan/saved/restore-snapshot.ts';
export { adoptUnsetFields } from './plan/diff/unset-fields.ts';

export type { Gateway, GatewayErrorCode, ReadableGateway, UpsertResult } from './gateway/gateway.ts';
export { GatewayError, readOnly } from './gateway/gateway.ts';
export type { GatewayOperations, Health, Principal, TokenRequest } from './gateway/operations.ts';
export type { Connection } from './gateway/connection.ts';
export { httpGateway } from './gateway/http/http.ts';
export { readLive } from './gateway/read-live.ts';

export type { ChangeStatus } from './apply/journal/change-status.ts';
export { deriveStatuses } from './apply/journal/change-status.ts';
export type { ApplyOptions } from './apply/apply.ts';
export { applyPlan } from './apply/apply.ts';
export { findExcluded } from './apply/find-excluded.ts';
export { systemClock } from './host/system-clock.ts';
export type { Clock } from './apply/clock.ts';
export type { RunEstimate } from './apply/estimate.ts';
export { estimateRun, formatEstimate } from './apply/estimate.ts';
export type { ApplyEvent, Entry, Ledger, Outcome } from './apply/events.ts';
export { summarizeResult } from './apply/events.ts';
export type { Journal, JournalRecord, RunProcess } from './apply/journal/journal.ts';
export { encodeRecord, JOURNAL_FORMAT, readJournal } from './apply/journal/journal.ts';
export {
  makeCallJournal,
  NO_JOURNAL,
  type CallJournal,
  type JournalWriter,
} from './apply/journal/call-journal.ts';
export type { Freshness } from './apply/verify/check-fresh.ts';
export { checkFresh, toSavedChange } from './apply/verify/check-fresh.ts';
export type { BoundPlan, PlanCheck } from './apply/verify/check-plan.ts';
export { bindPlan, checkPlan, selectKindsToCheck } from './apply/verify/check-plan.ts';

export type { Paint } from './report/paint.ts';
export { NO_PAINT } from './report/paint.ts';
export { forTerminal, onOneLine } from './report/escape.ts';
export type { Format, RenderOptions, View } from './report/formats.ts';
export { FORMATS } from './report/formats.ts';
export { renderProblems } from './report/text/problems-text.ts';
export { renderPlan } from './report/text/plan-text.ts';
export { renderExplanation } from './report/text/explanation.ts';
export { renderApply, renderEntry } from './report/text/apply-text.ts';
export { renderDrift } from './report/text/drift-text.ts';
export { renderLoss } from './report/text/loss-text.ts';
export { renderRun, renderRuns } from './report/text/run-text.ts';
export { renderJson } from './report/json/json-text.ts';
export { renderNdjson } from './report/json/ndjson.ts';
export { renderSarif } from './report/ci/sarif.ts';
export { renderJunit } from './report/ci/junit.ts';
export { renderGithub } from './report/ci/github.ts';
export type { Report } from './report/view/report.ts';
export type { Lazy, LazyList } from './report/view/lazy.ts';
export type { ProblemRecord } from './report/view/problem-record.ts';
export type { ChangeRecord } from './report/view/change-record.ts';
export type { ValidateReport } from './report/view/validate-report.ts';
export { makeValidateReport } from './report/view/validate-report.ts';
export type { FromSnapshot, PlanReport } from './report/view/plan-report.ts';
export { makePlanReport } from './report/view/plan-report.ts';
export type { ApplyReport, LedgerRecord } from './report/view/apply-report.ts';
export { describeEntry, makeApplyReport } from './report/view/apply-report.ts';
export type { DriftReport } from './report/view/drift-report.ts';
export { makeDriftReport } from './report/view/drift-report.ts';
export type { RunChangeRecord, RunRecord, RunReport, RunsReport } from './report/view/run-report.ts';
export { makeRunReport, makeRunsReport } from './report/view/run-report.ts';
export type { NormalisationCount, SelftestReport } from './report/view/selftest-report.ts';
export { makeSelftestReport } from './report/view/selftest-report.ts';

export type { EmbeddedGateway } from './emulator/memory.ts';
export { memoryGateway } from './emulator/memory.ts';
export { makeSaver, persistentGateway } from './emulator/persistent.ts';
export type { Server, ServerOptions, User } from './emulator/server.ts';
export { serveGateway, makeSigner } from './emulator/server.ts';
