/**
 * gwconf as a library; docs/reference/library.md has an example for each use case.
 *
 *     const workspace = await openWorkspace(host, { environment: 'prod' });
 *     const gateway = await openGateway(host, workspace, { url, user, password });
 *     const { result, entries } = await applyProject(host, workspace, gateway, { journal: 'runs' });
 */

// The world
export type { Clock } from './apply/events.ts';
export type { Ended, Host, Lines, Log, Program, Text } from './workflow/host.ts';
export type { SourceOptions, TooLarge, WriteOptions } from './workflow/host.ts';
export type { NodeHostOptions } from './host/node-host.ts';
export { nodeHost } from './host/node-host.ts';
export { systemClock } from './host/node-host.ts';
export { readPage } from './host/pages.ts';

// Use cases
export type { InputOptions, Input } from './workflow/project/input.ts';
export { loadInput } from './workflow/project/input.ts';
export type { WorkspaceOptions } from './workflow/project/open-workspace.ts';
export type { Workspace, NamedGateway } from './workflow/project/workspace.ts';
export { openWorkspace } from './workflow/project/open-workspace.ts';
export { leaveVariablesOpen } from './workflow/project/workspace.ts';
export type { Validated } from './workflow/project/validate.ts';
export { validateDocuments, validateProject } from './workflow/project/validate.ts';
export type { Explanation } from './workflow/explain-problem.ts';
export { explain } from './workflow/explain-problem.ts';
export type { LiveSource } from './workflow/live/live-source.ts';
export { gatewaySource, snapshotSource } from './workflow/live/live-source.ts';
export type { ConnectionOptions, GatewayConnection } from './workflow/live/connection.ts';
export { connectGateway, openGateway } from './workflow/live/connection.ts';
export type { SnapshotResult } from './workflow/live/live-source.ts';
export { openSnapshot, takeSnapshot } from './workflow/live/live-source.ts';
export type { Planned, PlanOptions, PlanResult, ScopeOptions } from './workflow/plan/plan.ts';
export { planProject } from './workflow/plan/plan.ts';
export { checkPlanInput, openSavedPlan, savePlan } from './workflow/plan/saved-plan.ts';
export type { DriftOptions, DriftResult } from './workflow/plan/drift.ts';
export { detectDrift } from './workflow/plan/drift.ts';
export type { Asked } from './workflow/effective/select-principals.ts';
export type { ChainOptions, DeclaredChains, FoundChains } from './workflow/effective/find-chains.ts';
export { findDeclaredChains, findLiveChains } from './workflow/effective/find-chains.ts';
export type { ComparedChains, CompareOptions } from './workflow/effective/compare-chains.ts';
export { compareChains } from './workflow/effective/compare-chains.ts';
export { findEffective } from './workflow/effective/find-effective.ts';
export type { SelfTest } from './workflow/files/self-test.ts';
export { runSelfTest } from './workflow/files/self-test.ts';
export type { Approval, RunEvent, RunOptions, RunResult } from './workflow/run/start-run.ts';
export { applyProject } from './workflow/run/apply.ts';
export { applySavedPlan } from './workflow/run/apply-saved.ts';

export { resumeRun } from './workflow/run/resume.ts';
export { undoRun } from './workflow/run/undo.ts';
export { listRuns, openJournal } from './workflow/run/journal-files.ts';
export type { RequestCode } from './workflow/system-error.ts';
export { RequestError } from './workflow/system-error.ts';

// Gateways
export type { CallListener, Connection } from './gateway/connection.ts';
export type { Gateway, GatewayErrorCode, ReadableGateway, UpsertResult } from './gateway/gateway.ts';
export { GatewayError, readOnly } from './gateway/gateway.ts';
export type { GatewayOperations, Health, ResolveRequest, TokenRequest } from './gateway/gateway.ts';
export { httpGateway } from './gateway/http/http.ts';
export type { EmbeddedGateway, LoadOperations, MakeOperations } from './emulator/memory.ts';
export { memoryGateway } from './emulator/memory.ts';
export { loadV1Operations } from './v1/door.ts';
export { persistentGateway } from './emulator/persistent.ts';
export type { Server, ServerOptions, User } from './emulator/server.ts';
export { serveGateway } from './emulator/server.ts';

// The steps that the use cases are made of
export type { Loaded } from './schema/load/load.ts';
export { load } from './schema/load/load.ts';
export type { MissingValues, Sourced, Variables } from './schema/yaml/interpolate.ts';
export { NO_VARIABLES, variablesFrom } from './schema/yaml/interpolate.ts';
export { catalog } from './schema/kinds/index.ts';
export type { MarkedProblem } from './schema/load/locate.ts';
export { locateProblems, markProblems } from './schema/load/locate.ts';
export type { PlaceAt } from './schema/yaml/cursor.ts';
export { placeAt } from './schema/yaml/cursor.ts';
export type { Range } from './schema/yaml/places.ts';
export { rangeOf } from './schema/yaml/places.ts';
export { readLive } from './gateway/read-live.ts';
export type { PlanOptions as MakePlanOptions } from './plan/make-plan.ts';
export { makePlan } from './plan/make-plan.ts';
export { effectiveChain, explainEffectiveChain } from './effective/effective-state.ts';
export { listExternalPrincipals, listPrincipals } from './effective/principals.ts';
export { makeProtection } from './effective/protection.ts';
export type { EffectiveState } from './effective/effective-state.ts';
export { makeEffectiveState } from './effective/effective-state.ts';
export { redact, redactDesired } from './plan/secrets/redact.ts';
export type { ApplyOptions } from './apply/apply.ts';
export { applyPlan } from './apply/apply.ts';
export { decodePlan, encodePlan } from './plan/saved/decode-plan.ts';
export { decodeLiveSnapshot, encodeLiveSnapshot } from './plan/saved/live-snapshot.ts';
export { formatFile } from './schema/fmt/fmt.ts';
export { editorSchema } from './schema/json-schema.ts';
export { policySchema } from './schema/project/policy-schema.ts';
export { projectSchema } from './schema/project/project-schema.ts';
export { testSchema } from './schema/tests/test-schema.ts';
export { makeMasker } from './plan/secrets/masker.ts';

// Reports
export type { Detail, Paint, TextOptions } from './report/text/layout.ts';
export { NO_PAINT } from './report/text/layout.ts';
export type { Format, RenderOptions, View } from './report/formats.ts';
export { FORMATS } from './report/formats.ts';
export { renderProblems } from './report/text/problems-text.ts';
export { renderText as renderPlan } from './report/formats.ts';
export type { ExplainReport } from './outcome/explain.ts';
export { makeExplainReport } from './outcome/explain.ts';
export type { Report } from './outcome/outcome.ts';
export type { ValidateReport } from './outcome/files.ts';
export type { PlanReport } from './outcome/plan.ts';
export { makePlanReport } from './outcome/plan.ts';
export type { ApplyReport } from './outcome/apply.ts';
export type { DriftReport } from './outcome/drift.ts';
export type { ChainDrift, EffectiveReport } from './outcome/effective.ts';
export type { RunReport, RunsReport } from './outcome/run.ts';
export { makeRunReport, makeRunsReport } from './outcome/run.ts';
export type { SelftestReport } from './outcome/selftest.ts';

// The nouns
export type { Json, JsonObject, Pointer } from './model/json/json.ts';
export type { Address, Resource } from './model/resource.ts';
export type { Chain, Chained, ChainLink, Principal } from './model/principal.ts';
export { identify } from './model/identity.ts';
export type { Context, Kind, KindSet } from './model/kind.ts';
export type { Catalog } from './model/own-kind.ts';
export type { Checked, LocatedProblem, Position, Problem, SourceFile } from './model/problem.ts';
export { hasErrors, isBlocked } from './model/problem.ts';
export type { ProblemCode, Severity } from './model/problem-codes.ts';
export { PROBLEM_CODES } from './model/problem-codes.ts';
export type { Limit, Limited, Removal, Rules } from './model/rules.ts';
export type { Declared, DesiredState, LiveState } from './model/state.ts';
export type { Environment, Project } from './schema/project/project.ts';
export type { Action, Change, ChangeId } from './plan/change/change.ts';
export type { Counts, Loss, Plan, Selection, Undoes } from './plan/change/plan.ts';
export type { Masker } from './plan/secrets/masker.ts';
export type { Risk } from './plan/secrets/redact.ts';
export type { ShownPlan } from './plan/secrets/redact.ts';
export type { SavedChange, SavedPlan } from './plan/saved/saved-plan.ts';
export type { LiveSnapshot, SnapshotAge } from './plan/saved/live-snapshot.ts';
export type { Compared, Drift, SplitDrift } from './plan/compare/drift.ts';
export type { FieldDifference, Uncompared } from './model/field-difference.ts';
export type { ApplyEvent, ApplyResult, Entry, Ledger, EntryOutcome } from './apply/events.ts';
export type { Journal } from './apply/journal/journal.ts';
