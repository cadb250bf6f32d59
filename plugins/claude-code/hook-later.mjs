// Made by npm run build:plugin from src/doors/cli. Do not edit.
import { i as cleanText, n as Findings, r as cleanJson } from "./hook-outgoing.mjs";
import { A as oneSpelling, B as partOf, C as folderHash, D as remoteKey, E as ownKey, F as settingsFolder, I as readCommandText, L as exitCodeOf, M as writePrivate, N as KVAULT, O as readProjectFiles, P as replaceFile, R as isPayload, S as keepEnvironment, T as keptNames, _ as cleanLine, a as request, b as terminalLines, c as takeJournal, d as takeLock, f as withLock, g as hasFailed, h as bothEnds, i as jsonIn, j as savedProfile, k as findProfile, l as readSession, m as startToRedact, n as postJson, o as textOf$2, p as DAY_MS, r as isGood, s as readJournal, t as noteRun, u as rememberSession, v as isStackFrame, w as keptNameOf, x as terminalText, y as isStamped, z as objectOf } from "./hook.mjs";
import { closeSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { createHash, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
//#region src/core/storable.ts
/** Unit by unit: replacing half a million characters in one text costs a hundred milliseconds of garbage collection. */
function withoutNul(text) {
	const bytes = Buffer.alloc(2 * text.length);
	bytes.write(text, "utf16le");
	const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
	let length = 0;
	for (const unit of units) if (unit !== 0) units[length++] = unit;
	return bytes.toString("utf16le", 0, 2 * length);
}
/** PostgreSQL cannot store NUL and UTF-8 has no lone surrogates, so neither enters on any engine. */
var storable = (text) => {
	const whole = text.includes("\0") ? withoutNul(text) : text;
	return whole.isWellFormed() ? whole : whole.toWellFormed();
};
//#endregion
//#region src/features/memory/project-key.ts
/** The key of the document that holds for all projects of a user. */
var USER_PREFERENCES_KEY = "__user__/preferences";
/** Other names of the same host, and the prefixes that npm uses. */
var HOST_ALIASES = {
	"www.github.com": "github.com",
	"ssh.github.com": "github.com",
	"altssh.gitlab.com": "gitlab.com",
	"altssh.bitbucket.org": "bitbucket.org",
	"ssh.dev.azure.com": "dev.azure.com",
	"vs-ssh.visualstudio.com": "dev.azure.com"
};
var SHORTHANDS = {
	github: "github.com",
	gitlab: "gitlab.com",
	bitbucket: "bitbucket.org"
};
var REMOTE_URL = /^(?:git\+)?(?:https?|ssh|git)(?:\+git)?:\/\/(?:[^/\s]*@)?(\[[0-9a-f:.]+\]|[^/:@\s]+)(?::\d*)?\/(.+)$/i;
var SCP_FORM = /^(?:[^/@:\s]+@)?([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+|\[[0-9a-f:]+\]|localhost):(?!\/\/)\/?(.+)$/i;
var SCP_FORM_WITH_USER = /^[^/@:\s]+@([a-z0-9][a-z0-9.-]*):(?!\/\/)\/?(.+)$/i;
var SHORTHAND = /^(github|gitlab|bitbucket):([^/\s]+\/.+)$/i;
var HOST_AND_PATH = /^((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost)(?::\d+)?\/(.+)$/i;
var ORG_AND_REPO = /^[A-Za-z0-9][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9._~-]+)+$/;
/** A near miss of the reserved key must neither become it nor look like a repository, whatever stands before it. */
var NEAR_RESERVED = /^__user__/i;
/** Reads a key as it was written. All spellings of one repository give one name. */
function readProjectKey(written) {
	const spelled = spelledName(written);
	const name = composed(spelled);
	if (name.form === "remote" && (NEAR_RESERVED.test(name.host) || NEAR_RESERVED.test(name.path))) return {
		form: "plain",
		key: written.trim().normalize("NFC")
	};
	return name.key === spelled.key ? name : {
		...name,
		earlier: spelled
	};
}
/** A Mac writes `é` as two characters, others as one; a host in letters of its own also has an ASCII form. */
function composed(name) {
	if (name.form === "plain") return {
		...name,
		key: name.key.normalize("NFC")
	};
	if (name.form !== "remote") return name;
	const host = /[^ -~]/.test(name.host) ? inAscii(name.host) : name.host;
	const path = name.path.normalize("NFC");
	return {
		...name,
		key: `${host}/${path}`,
		host,
		path
	};
}
/** The web app reads keys too, so this is not the function that Node has for it. */
var inAscii = (host) => URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
function spelledName(written) {
	const text = written.trim();
	if (text === "__user__/preferences") return {
		form: "user_preferences",
		key: USER_PREFERENCES_KEY
	};
	if (NEAR_RESERVED.test(text)) return {
		form: "plain",
		key: text
	};
	return remoteName(text) ?? pathName(text) ?? {
		form: "plain",
		key: text
	};
}
function remoteName(text) {
	const short = SHORTHAND.exec(text);
	if (short) return remote(SHORTHANDS[short[1].toLowerCase()], short[2]);
	for (const form of [
		REMOTE_URL,
		HOST_AND_PATH,
		SCP_FORM,
		SCP_FORM_WITH_USER
	]) {
		const found = form.exec(text);
		if (found) return remote(found[1], found[2]);
	}
}
function remote(writtenHost, writtenPath) {
	const lower = writtenHost.toLowerCase().replace(/\.$/, "");
	const host = HOST_ALIASES[lower] ?? lower;
	const path = cleanPath(writtenPath);
	if (path === "") return void 0;
	const azure = azureName(host, path);
	if (azure) return azure;
	return {
		form: "remote",
		key: `${host}/${path}`,
		host,
		path
	};
}
function pathName(text) {
	if (!ORG_AND_REPO.test(text.replace(/\/+$/, ""))) return void 0;
	const path = cleanPath(text);
	return path.includes("/") ? {
		form: "path",
		key: path,
		path
	} : void 0;
}
/** Lower-case, without `.git`, slashes at the ends, query, fragment, or the page of a web address. */
function cleanPath(path) {
	return decoded(path).replace(/[?#].*$/, "").replace(/\/-\/.*$/, "").replace(/^([^/]+\/[^/]+)\/(?:tree|blob|commit|commits|issues|pull|pulls|wiki|releases|src)(?:\/.*)?$/i, "$1").replace(/\/{2,}/g, "/").replace(/^\/|\/+$/g, "").replace(/\.git$/i, "").replace(/\/+$/, "").toLowerCase();
}
function decoded(path) {
	try {
		return storable(decodeURIComponent(path));
	} catch {
		return path;
	}
}
/** Azure DevOps has four spellings: `org/project/_git/repo`, ssh `v3/org/project/repo`, and the old host. */
function azureName(host, path) {
	const old = /^([a-z0-9-]+)\.visualstudio\.com$/.exec(host);
	if (host !== "dev.azure.com" && !old) return void 0;
	let parts = path.split("/");
	if (parts[0] === "v3") parts = parts.slice(1);
	else if (old) parts = [old[1], ...parts.filter((part) => part !== "defaultcollection")];
	const git = parts.indexOf("_git");
	if (git === 1) parts = [
		parts[0],
		parts[2] ?? "",
		parts[2] ?? ""
	];
	else if (git > 1) parts = [...parts.slice(0, git), ...parts.slice(git + 1)];
	const name = parts.join("/");
	return {
		form: "remote",
		key: `dev.azure.com/${name}`,
		host: "dev.azure.com",
		path: name
	};
}
//#endregion
//#region src/doors/cli/account.ts
/**
* The owner of what waits on this machine. A profile knows the id of its person; a key from the environment does not, and
* asking the vault would make every hook slower, so its hash stands for the person. It does not reveal the key.
*/
var accountOf = ({ apiKey, userId }) => userId ?? `key:${createHash("sha256").update(apiKey).digest("hex").slice(0, 32)}`;
/**
* Whether something that waits may be sent by this account. What an earlier version wrote names nobody. It goes only
* while nobody has signed in since then: after that it could be somebody else's, so it waits until it is too old.
*/
var mayBeSentBy = (account, owner) => owner === void 0 ? savedProfile()?.userId === void 0 : owner === account;
//#endregion
//#region src/doors/cli/hooks/spool/spool.ts
var LONGEST_REASON = 300;
var LIMITS = {
	entries: 500,
	bytes: 16777216,
	ageMs: 30 * DAY_MS
};
var spoolFolder = () => join(settingsFolder(), "spool");
/** Who holds it sends. */
var lockFile = () => join(spoolFolder(), "lock");
var ENTRY = /^\d{18}-[0-9a-f-]{36}\.json$/;
/** Oldest first. */
function waitingFiles() {
	try {
		return readdirSync(spoolFolder(), { withFileTypes: true }).filter((entry) => entry.isFile() && ENTRY.test(entry.name)).map((entry) => entry.name).sort();
	} catch {
		return [];
	}
}
var sizeOf = (name) => statSync(join(spoolFolder(), name), { throwIfNoEntry: false }) ?? {
	size: 0,
	mtimeMs: 0
};
/** Drops the oldest entries if there are too many, and those that are too old to matter. */
function trimSpool(limits = LIMITS, now = Date.now()) {
	const kept = waitingFiles().map((name) => ({
		name,
		...sizeOf(name)
	}));
	let bytes = kept.reduce((sum, { size }) => sum + size, 0);
	for (const [at, { name, size, mtimeMs }] of kept.entries()) {
		if (kept.length - at <= limits.entries && bytes <= limits.bytes && now - mtimeMs <= limits.ageMs) continue;
		drop(name);
		bytes -= size;
	}
}
var lastTime = 0;
/** The time in microseconds, never the same twice in one program. */
function ownTime() {
	lastTime = Math.max(lastTime + 1, Math.floor((performance.timeOrigin + performance.now()) * 1e3));
	return String(lastTime).padStart(18, "0");
}
/** A file appears complete or not at all, so that a sender never reads half of one, and a full disk keeps no half. */
function put(waiting, limits = LIMITS) {
	mkdirSync(spoolFolder(), {
		recursive: true,
		mode: 448
	});
	const key = randomUUID();
	const name = `${ownTime()}-${key}.json`;
	replaceFile(join(spoolFolder(), name), JSON.stringify({
		...waiting,
		idempotencyKey: key
	}), 384);
	trimSpool(limits);
}
/** Undefined for a file that is gone or not ours. */
function read(name) {
	try {
		const { url, account, agent, idempotencyKey, input } = JSON.parse(readFileSync(join(spoolFolder(), name), "utf8"));
		return typeof url === "string" && typeof idempotencyKey === "string" && typeof input === "object" ? {
			url: oneSpelling(url),
			account: account === void 0 ? void 0 : String(account),
			agent: String(agent),
			idempotencyKey,
			input
		} : void 0;
	} catch {
		return;
	}
}
/** Whether this account of this vault may send it. */
var isFor = (waiting, url, account) => waiting.url === url && mayBeSentBy(account, waiting.account);
var drop = (name) => rmSync(join(spoolFolder(), name), { force: true });
var FIRST_PAUSE_MS = 6e4;
var MAX_PAUSE_MS = 36e5;
var pauseFile = () => join(spoolFolder(), "pause.json");
function pauseOf(url, account) {
	try {
		const pause = JSON.parse(readFileSync(pauseFile(), "utf8"));
		return pause.url === url && pause.account === account ? pause : void 0;
	} catch {
		return;
	}
}
/** Each pause is twice as long as the one before, up to an hour. */
function pauseSending(url, account, reason) {
	const before = pauseOf(url, account)?.waitMs ?? 0;
	const waitMs = Math.min(Math.max(FIRST_PAUSE_MS, before * 2), MAX_PAUSE_MS);
	const pause = {
		url,
		account,
		until: Date.now() + waitMs,
		waitMs,
		reason: reason.slice(0, LONGEST_REASON)
	};
	replaceFile(pauseFile(), JSON.stringify(pause), 384);
}
var endPause = () => rmSync(pauseFile(), { force: true });
//#endregion
//#region src/doors/cli/hooks/allowed-projects.ts
var LOOK_MS = 5e3;
var LOCK = {
	patienceMs: 400,
	staleMs: 2e3
};
var decisionsFolder = () => join(settingsFolder(), "projects");
/** Named as the names of folders are, so that no path of a stranger is part of a file name. */
var decisionFile = (folder) => join(decisionsFolder(), `${folderHash(folder)}.json`);
function decisionIn(file) {
	try {
		const { folder, key, state, vault, isTold } = JSON.parse(readFileSync(file, "utf8"));
		return typeof folder === "string" && typeof key === "string" ? {
			folder,
			key,
			state,
			vault,
			isTold
		} : void 0;
	} catch {
		return;
	}
}
/** A file that names another key now has to be decided on again. */
function decisionOn({ folder, key }) {
	const decision = decisionIn(decisionFile(folder));
	return decision?.key === key && decision.folder === folder ? decision : void 0;
}
var decide = ({ folder, key }, more) => writePrivate(decisionFile(folder), JSON.stringify({
	folder,
	key,
	...more
}));
/** What the nearest `.kvault.json` names, by the folder that it lies in. */
function namedIn({ projectKey, keyFile }) {
	if (projectKey === void 0 || keyFile === void 0) return void 0;
	return {
		key: projectKey,
		folder: realpathSync(dirname(keyFile))
	};
}
/** An address is the name of a checkout that is somewhere, whether or not anything is remembered of it yet. */
var isAddress = (key) => readProjectKey(key).form === "remote" || /^\s*(?:[a-z][a-z0-9+.-]*:|[/\\~.]|[^\s/@]+@[^\s/]+:)/i.test(key);
/** All spellings under which the vault finds a project: `org/repo` also finds `https://host/org/repo`. */
function spellingsOf(key) {
	const name = readProjectKey(key);
	return [
		name.key,
		..."path" in name ? [name.path] : [],
		...name.earlier ? [name.earlier.key] : []
	];
}
var isSame = (a, b) => {
	const others = spellingsOf(b);
	return spellingsOf(a).some((one) => others.includes(one));
};
function* jsonFilesIn(folder) {
	let names = [];
	try {
		names = readdirSync(folder);
	} catch {}
	for (const name of names) {
		if (!name.endsWith(".json")) continue;
		try {
			yield JSON.parse(readFileSync(join(folder, name), "utf8"));
		} catch {}
	}
}
/** The projects that other folders of this machine have, and those of exchanges that wait to be sent. */
function* keysOfOthers(own) {
	for (const { folder, key, state } of jsonFilesIn(decisionsFolder())) if (folder !== own && (state === "allowed" || state === "new")) yield String(key);
	for (const session of jsonFilesIn(join(settingsFolder(), "sessions"))) {
		const { project } = session;
		if (project?.key && !isInside(project.folder ?? "", own)) yield project.key;
	}
	for (const name of waitingFiles()) {
		const key = read(name)?.input.project_key;
		if (typeof key === "string") yield key;
	}
	yield* keptNames();
}
var isInside = (folder, own) => folder === own || folder.startsWith(join(own, "/"));
/** Whether the person's memory has something under this key; undefined if the vault does not say. */
async function isInMemory({ url, apiKey }, key, timeoutMs) {
	const { withoutSecrets } = await import("./hook-outgoing.mjs").then((n) => n.t);
	const project_key = withoutSecrets({ project_key: key }).value.project_key;
	const query = new URLSearchParams({
		project_key,
		limit: "1",
		max_chars_per_event: "200"
	});
	try {
		const answer = await request(`${url}/api/v1/project-context/events?${query}`, {
			headers: { "x-api-key": apiKey },
			timeoutMs
		});
		const { items } = jsonIn(await textOf$2(answer)) ?? {};
		return isGood(answer) && Array.isArray(items) ? items.length > 0 : void 0;
	} catch {
		return;
	}
}
/** Of two folders that name one new project at once, one gets it. */
function claim(named, vault) {
	mkdirSync(decisionsFolder(), {
		recursive: true,
		mode: 448
	});
	return withLock(join(decisionsFolder(), "lock"), LOCK, () => {
		const isTaken = [...keysOfOthers(named.folder)].some((key) => isSame(key, named.key));
		decide(named, isTaken ? { state: "withheld" } : {
			state: "new",
			vault
		});
		return !isTaken;
	});
}
/** Whether the key counts in this folder; undefined as long as the vault cannot be asked. */
async function counts(named, profile, timeoutMs) {
	const decision = decisionOn(named);
	if (decision?.state === "allowed") return true;
	if (decision?.state === "new" && decision.vault === profile.url) return true;
	if (decision?.state === "withheld" || decision?.state === "declined") return false;
	const { url, apiKey } = profile;
	if (!isAddress(named.key)) {
		const known = apiKey === void 0 ? void 0 : await isInMemory({
			url,
			apiKey
		}, named.key, timeoutMs);
		if (known === void 0) return void 0;
		if (!known) return claim(named, url);
	}
	decide(named, { state: "withheld" });
	return false;
}
/**
* Returns the project of a folder: the remote of a checkout, else what its `.kvault.json` names if that counts, else
* a name of its own.
*/
async function findProject(folder, profile, file = readProjectFiles(folder), timeoutMs = LOOK_MS) {
	const remote = remoteKey(folder);
	if (remote) return { key: remote };
	const named = namedIn(file);
	if (!named) return { key: ownKey(folder) };
	if (named.key === keptNameOf(folder)) return { key: named.key };
	const isCounting = await counts(named, profile, timeoutMs);
	if (isCounting) return { key: named.key };
	return {
		key: ownKey(folder),
		...isCounting === void 0 ? {} : { withheld: named }
	};
}
/** The sentence about a withheld key, the first time; the key itself may be a stranger's words to an agent. */
function adviceOnce(named) {
	const decision = decisionOn(named);
	if (!decision || decision.isTold) return void 0;
	const { folder: _, key: __, ...rest } = decision;
	decide(named, {
		...rest,
		isTold: true
	});
	return `The .kvault.json of this folder names a project that nobody has allowed here, so its memory is neither read nor extended: if that is wanted, the person runs \`${KVAULT} allow-project\` in the folder once.`;
}
//#endregion
//#region src/features/cites/version-ranges.ts
var LONGEST_RANGE = 200;
var MOST_PARTS = 6;
/** `1.2.3-rc.1+build`, `1!2.0`, `3.1.*`, `v0.0.0-20191109021931-daa7c04131f5`. */
var VERSION$2 = "(?:[vV]?\\d[\\w.*+!-]{0,80}|[*xX])";
var COMPARATOR = `(?:[~^<>=!]{1,3} ?)?${VERSION$2}`;
/** `24.04 LTS`, `13 (trixie)`, `Ubuntu 24.04`: one word beside a version. */
var LABEL = "\\(?[A-Za-z]{1,20}\\)?";
var BOUND = ` ?(?:${VERSION$2})? ?`;
var INTERVAL = `[\\[(]${BOUND}(?:,${BOUND})?[\\])]`;
new RegExp([
	`^(?:workspace:|${LABEL} )?${COMPARATOR}(?:(?: ?(?:,|\\|\\|) ?| - | {1,2})${COMPARATOR}){0,15}(?: ${LABEL})?$`,
	`^${INTERVAL}(?:,${INTERVAL}){0,7}$`,
	"^[A-Za-z][\\w.+-]{0,60}$",
	"^workspace:[~^]$"
].join("|"));
/** `v24.1.0-rc.1+build` is 24.1.0: what follows the numbers decides nothing here. */
function readVersion(text) {
	const numbers = /^\s*[vV=]?\s*(\d+(?:\.\d+)*)/.exec(text.slice(0, LONGEST_RANGE))?.[1];
	return numbers === void 0 ? null : numbers.split(".").slice(0, MOST_PARTS).map(Number);
}
function compareVersions(a, b) {
	for (let i = 0; i < Math.max(a.length, b.length); i++) {
		const difference = (a[i] ?? 0) - (b[i] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}
//#endregion
//#region src/features/cites/cite.ts
/** Nothing that a reader does not see, and nothing that ends an address or a path in a text around it. */
var VISIBLE = "[^\\s\"<>`\\\\\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}]";
new RegExp(`^file:((?:(?!@)${VISIBLE})+)@([0-9a-f]{7,40})(?:#([0-9a-f]{12}))?$`, "u");
new RegExp(`^https?://${VISIBLE}+$`, "u");
/** PyPI takes `Foo_Bar` and `foo-bar` for one name; all others but Go and Maven ignore case. */
function sameName(ecosystem, name) {
	if (ecosystem === "go" || ecosystem === "maven") return name;
	const lower = name.toLowerCase();
	return ecosystem === "pypi" ? lower.replaceAll(/[-_.]+/g, "-") : lower;
}
//#endregion
//#region src/doors/cli/lock-files/versions.ts
/** The message completes a sentence that begins with the file's name. */
var UnreadableFile = class extends Error {};
var versionKey = (ecosystem, name) => `${ecosystem}:${sameName(ecosystem, name)}`;
/** The vault refuses a question with much longer ones. */
var LONGEST_VERSION = 100;
/** For direct dependencies: they win over transitive ones. A version is one word; a stranger's file may say more. */
function putVersion(versions, ecosystem, name, version) {
	const [word = ""] = version.trim().split(/\s/, 1);
	if (name !== "" && word.length <= LONGEST_VERSION && readVersion(word) !== null) versions.set(versionKey(ecosystem, name), word.replace(/^[vV=]+/, ""));
}
/** Of several versions of a package in a lock file, the highest one is kept. */
function putHighest(versions, ecosystem, name, version) {
	const before = readVersion(versions.get(versionKey(ecosystem, name)) ?? "");
	const found = readVersion(version);
	if (found !== null && (before === null || compareVersions(found, before) > 0)) putVersion(versions, ecosystem, name, version);
}
var isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
function readJson(text) {
	let value;
	try {
		value = JSON.parse(text);
	} catch {
		throw new UnreadableFile("is not JSON");
	}
	if (!isObject(value)) throw new UnreadableFile("is not a JSON object");
	return value;
}
var linesOf = (text) => text.replaceAll("\r\n", "\n").split("\n");
var unquoted = (text) => text.replaceAll(/^["']|["']$/g, "");
//#endregion
//#region src/doors/cli/lock-files/go.ts
var withoutComment = (line) => (line.split("//")[0] ?? "").trim();
/** The lines of go.mod, each with its directive: `require ( … )` is the same as many `require`. */
function* directivesOf(text) {
	let word;
	for (const line of linesOf(text).map(withoutComment)) if (line === ")") word = void 0;
	else if (word !== void 0) yield `${word} ${line}`;
	else if (/^\w+ ?\($/.test(line)) word = line.replace(/ ?\($/, "");
	else yield line;
}
/** go.mod: modules, replaced ones by what replaces them, and the version of Go itself. */
var readGoMod = (text) => {
	const versions = /* @__PURE__ */ new Map();
	const replaced = [];
	let isModule = false;
	for (const directive of directivesOf(text)) {
		const words = directive.split(/\s+/);
		const [word, first = "", second = ""] = words;
		if (word === "module") isModule = true;
		else if (word === "go") putHighest(versions, "runtime", "go", first);
		else if (word === "toolchain") putHighest(versions, "runtime", "go", first.replace(/^go/, ""));
		else if (word === "require") putVersion(versions, "go", first, second);
		else if (word === "replace") replaced.push([first, words[words.indexOf("=>") + 2] ?? ""]);
	}
	if (!isModule) throw new UnreadableFile("names no module");
	for (const [name, version] of replaced) putVersion(versions, "go", name, version);
	return versions;
};
/** go.sum: the highest version whose code is listed, for modules that go.mod leaves out. */
var readGoSum = (text) => {
	const versions = /* @__PURE__ */ new Map();
	for (const line of linesOf(text)) {
		if (line.trim() === "") continue;
		const [, name, version, isDescription] = /^(\S+) (v\S+?)(\/go\.mod)? h1:\S+$/.exec(line) ?? [];
		if (!name || !version) throw new UnreadableFile("has a line that is not a checksum");
		if (!isDescription) putHighest(versions, "go", name, version);
	}
	return versions;
};
//#endregion
//#region src/doors/cli/lock-files/java.ts
/** The text between each `open` and the next `close`, in one pass however often one of them is missing. */
function* partsOf(text, open, close) {
	for (let at = text.indexOf(open); at !== -1;) {
		const end = text.indexOf(close, at + open.length);
		if (end === -1) return;
		yield {
			from: at,
			to: end + close.length
		};
		at = text.indexOf(open, end + close.length);
	}
}
function without(text, open, close) {
	let [kept, from] = ["", 0];
	for (const part of partsOf(text, open, close)) {
		kept += text.slice(from, part.from);
		from = part.to;
	}
	return kept + text.slice(from);
}
var within = (text, tag) => [...partsOf(text, `<${tag}>`, `</${tag}>`)].map(({ from, to }) => text.slice(from + tag.length + 2, to - tag.length - 3));
var field = (text, tag) => (within(text, tag)[0] ?? "").trim();
function propertiesOf(text) {
	const found = /* @__PURE__ */ new Map();
	for (const block of within(text, "properties")) for (const line of block.split("</")) {
		const [, name, value] = /<([\w.-]+)>([^<]*)$/.exec(line) ?? [];
		if (name && value !== void 0) found.set(name, value.trim());
	}
	return found;
}
/** Java 8 was called `1.8`. */
var javaVersion = (version) => version.replace(/^1\.(?=\d)/, "");
var JAVA = [
	"maven.compiler.release",
	"java.version",
	"maven.compiler.target",
	"maven.compiler.source"
];
/** pom.xml: dependencies with a version of their own or a property's, the parent, and the version of Java. */
var readPom = (text) => {
	if (!text.includes("<project")) throw new UnreadableFile("has no project");
	const bare = without(text, "<!--", "-->");
	const properties = propertiesOf(bare);
	const project = [
		"build",
		"reporting",
		"exclusions"
	].reduce((rest, tag) => without(rest, `<${tag}>`, `</${tag}>`), bare);
	const versions = /* @__PURE__ */ new Map();
	for (const entry of [...within(project, "parent"), ...within(project, "dependency")]) {
		const version = field(entry, "version").replace(/^\$\{([^}]+)\}$/, (_, name) => properties.get(name) ?? "");
		putVersion(versions, "maven", `${field(entry, "groupId")}:${field(entry, "artifactId")}`, version);
	}
	const java = JAVA.find((name) => properties.has(name));
	if (java) putVersion(versions, "runtime", "java", javaVersion(properties.get(java) ?? ""));
	return versions;
};
/** gradle.lockfile: `group:artifact:version=where it is used`. */
var readGradleLock = (text) => {
	const versions = /* @__PURE__ */ new Map();
	for (const line of linesOf(text)) {
		if (line.trim() === "" || line.startsWith("#") || line.startsWith("empty=")) continue;
		const [, name, version] = /^([^:\s]+:[^:\s]+):([^:=\s]+)=/.exec(line) ?? [];
		if (!name || !version) throw new UnreadableFile("has a line that is not a locked dependency");
		putVersion(versions, "maven", name, version);
	}
	return versions;
};
//#endregion
//#region src/doors/cli/lock-files/npm.ts
var FOLDER = "node_modules/";
/** Version 1 of the format: a tree. The project's code gets what is at its top. */
function ofTree(dependencies) {
	const versions = /* @__PURE__ */ new Map();
	for (const [name, entry] of Object.entries(dependencies)) if (isObject(entry) && typeof entry.version === "string") putVersion(versions, "npm", name, entry.version.replace(/^npm:.+@/, ""));
	return versions;
}
/** Versions 2 and 3: every folder by its path. A nested one counts if there is none of its name at the top. */
function ofFolders(packages) {
	const versions = /* @__PURE__ */ new Map();
	const nested = [];
	for (const [path, entry] of Object.entries(packages)) {
		const at = path.lastIndexOf(FOLDER);
		if (at === -1 || !isObject(entry) || entry.link === true || typeof entry.version !== "string") continue;
		const name = typeof entry.name === "string" ? entry.name : path.slice(at + 13);
		if (at === 0) putVersion(versions, "npm", name, entry.version);
		else nested.push([name, entry.version]);
	}
	for (const [name, version] of nested) if (!versions.has(versionKey("npm", name))) putVersion(versions, "npm", name, version);
	return versions;
}
/** package-lock.json and npm-shrinkwrap.json. */
var readPackageLock = (text) => {
	const { packages, dependencies } = readJson(text);
	if (isObject(packages)) return ofFolders(packages);
	return isObject(dependencies) ? ofTree(dependencies) : /* @__PURE__ */ new Map();
};
//#endregion
//#region src/doors/cli/lock-files/pnpm.ts
var LONGEST_LINE$1 = 1e4;
/** The keys of an indented file, each with its parents: the part of YAML that we need. */
function* entriesOf(text) {
	const above = [];
	for (const line of linesOf(text)) {
		if (line.length > LONGEST_LINE$1) continue;
		const [, spaces = "", key, value = ""] = /^( *)("[^"]*"|'[^']*'|[^\s"'#-][^:]*(?::[^\s:][^:]*)*):(?:\s+(.*))?$/.exec(line) ?? [];
		if (key === void 0) continue;
		while ((above.at(-1)?.indent ?? -1) >= spaces.length) above.pop();
		above.push({
			indent: spaces.length,
			key: unquoted(key)
		});
		yield {
			path: above.map((entry) => entry.key),
			value: unquoted(value.trim())
		};
	}
}
/** `5.8.5(peer@1)` and `5.8.5_peer@1`: the peers are not part of the version. */
var VERSION$1 = /^\d[^/_(]*/;
/** `/fastify/4.1.0`, `/fastify@4.1.0`, `fastify@4.1.0`, with a scope or without. */
function ofKey(key) {
	const [, name, rest = ""] = /^\/?((?:@[^/@]+\/)?[^/@]+)[/@](\d.*)$/.exec(key) ?? [];
	const version = VERSION$1.exec(rest)?.[0];
	return name && version ? [name, version] : null;
}
var DEPENDENCIES = /^(?:dependencies|devDependencies|optionalDependencies)$/;
/** The name and version of a line for a direct dependency of the project or of a workspace. */
function asked({ path, value }) {
	const [first = "", second = "", third = ""] = path;
	const [name, field] = first === "importers" && DEPENDENCIES.test(third) ? path.slice(3) : DEPENDENCIES.test(first) && second !== "" ? path.slice(1) : [];
	if (name === void 0 || value === "" || field !== void 0 && field !== "version") return null;
	const version = VERSION$1.exec(value)?.[0];
	return version === void 0 ? ofKey(value) : [name, version];
}
var readPnpmLock = (text) => {
	const versions = /* @__PURE__ */ new Map();
	const direct = /* @__PURE__ */ new Map();
	let isLock = false;
	for (const entry of entriesOf(text)) {
		const [first, second] = entry.path;
		if (first === "lockfileVersion") isLock = true;
		if (first === "packages" && second !== void 0 && entry.path.length === 2) {
			const found = ofKey(second);
			if (found) putHighest(versions, "npm", ...found);
		}
		const wanted = asked(entry);
		if (wanted) putHighest(direct, "npm", ...wanted);
	}
	if (!isLock) throw new UnreadableFile("has no lockfileVersion");
	for (const [key, version] of direct) putVersion(versions, "npm", key.slice(4), version);
	return versions;
};
//#endregion
//#region src/doors/cli/lock-files/requirements.ts
/** requirements.txt: packages that are pinned by `==`. Ranges and included files give no version. */
var readRequirements = (text) => {
	const versions = /* @__PURE__ */ new Map();
	for (const line of linesOf(text)) {
		const bare = (line.split(/[;#\\]| --/)[0] ?? "").replaceAll(/\s/g, "");
		const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?={2,3}([^=,]+)$/.exec(bare) ?? [];
		if (name && version && !version.includes("*")) putVersion(versions, "pypi", name, version);
	}
	return versions;
};
//#endregion
//#region src/doors/cli/lock-files/runtimes.ts
/** Such a file has a line, perhaps with a comment above it. */
var READ_CHARACTERS = 1e4;
var firstLine = (text) => linesOf(text.slice(0, READ_CHARACTERS)).map((line) => line.replace(/#.*$/, "").trim()).find((line) => line !== "") ?? "";
/** A file of one line with a version in it. Names such as `lts/*` and `stable` are not versions. */
var readOneLine = (name) => (text) => {
	const versions = /* @__PURE__ */ new Map();
	putVersion(versions, "runtime", name, firstLine(text));
	return versions;
};
/** .nvmrc and .node-version. */
var readNodeVersion = readOneLine("node");
var readPythonVersion = readOneLine("python");
/** rust-toolchain and rust-toolchain.toml: the version alone, or as the channel. */
var readRustToolchain = (text, beside) => {
	const channel = /^[ \t]*channel[ \t]*=[ \t]*["']([^"'\n]+)["']/m.exec(text)?.[1];
	return readOneLine("rust")(channel ?? text, beside);
};
/** `engines` of package.json: the lowest supported version. */
var readEngines = (text) => {
	const versions = /* @__PURE__ */ new Map();
	const { engines } = readJson(text);
	const range = isObject(engines) && typeof engines.node === "string" ? engines.node : "";
	const [, least] = /^(?:>=|\^|~|=)?\s*v?(\d+(?:\.\d+)*)/.exec(range.trim()) ?? [];
	if (least) putVersion(versions, "runtime", "node", least);
	return versions;
};
//#endregion
//#region src/doors/cli/lock-files/toml-packages.ts
/** The `[[package]]` tables that Cargo, uv and Poetry write. */
function* packagesOf(text) {
	let open;
	let isInList = false;
	for (const line of linesOf(text)) if (line.startsWith("[")) {
		if (open) yield open;
		open = line.trim() === "[[package]]" ? {
			name: "",
			version: "",
			source: "",
			dependencies: []
		} : void 0;
		isInList = false;
	} else if (open && isInList) {
		const [, item] = /^\s+"([^"]+)",?$/.exec(line) ?? [];
		if (item !== void 0) open.dependencies.push(item);
		else if (line.startsWith("]")) isInList = false;
	} else if (open) {
		const [, field, value = ""] = /^(name|version|source) = (.+)$/.exec(line) ?? [];
		if (field === "name" || field === "version" || field === "source") open[field] = value.replaceAll(/^"|"$/g, "");
		isInList = line === "dependencies = [";
	}
	if (open) yield open;
}
function mustBeLock(text) {
	if (!/^(?:version = |lock-version = |package = \[\]|\[\[package\]\])/m.test(text)) throw new UnreadableFile("has no packages");
}
var readHighest = (ecosystem) => (text) => {
	mustBeLock(text);
	const versions = /* @__PURE__ */ new Map();
	for (const { name, version } of packagesOf(text)) putHighest(versions, ecosystem, name, version);
	return versions;
};
/** uv.lock and poetry.lock. */
var readPythonLock = readHighest("pypi");
/** A crate without a source is part of the project. It names the version of a dependency that has several. */
var readCargoLock = (text, beside) => {
	const versions = readHighest("cargo")(text, beside);
	for (const { source, dependencies } of packagesOf(text)) {
		if (source !== "") continue;
		for (const dependency of dependencies) {
			const [name = "", version = ""] = dependency.split(" ");
			putVersion(versions, "cargo", name, version);
		}
	}
	return versions;
};
//#endregion
//#region src/doors/cli/lock-files/yarn.ts
/** Both formats: a line with the descriptors, and indented lines with the resolved version. */
function* blocksOf(text) {
	let block;
	for (const line of linesOf(text)) if (/^[^\s#].*:$/.test(line)) {
		if (block) yield block;
		block = {
			descriptors: line.slice(0, -1).replaceAll("\"", "").split(", "),
			version: "",
			resolution: ""
		};
	} else if (block) {
		const [, field, value = ""] = /^ {2}(version|resolution):? (.+)$/.exec(line) ?? [];
		if (field === "version" || field === "resolution") block[field] = unquoted(value.trim());
	}
	if (block) yield block;
}
/** `@scope/name@npm:^1` → the name and the range, without the protocol of the registry. */
function split(descriptor) {
	const at = descriptor.indexOf("@", 1);
	return at === -1 ? [descriptor, ""] : [descriptor.slice(0, at), descriptor.slice(at + 1).replace(/^npm:/, "")];
}
/** Classic has no resolution: there the descriptor shows an alias (`alias@npm:real@^1`). */
function nameOf({ descriptors: [first = ""], resolution }) {
	if (resolution !== "") return split(resolution)[0];
	const [name, range] = split(first);
	return /^(?:@[^@/]+\/)?[^@/\s]+@[\d^~<>=*]/.test(range) ? split(range)[0] : name;
}
function askedByPackage(beside) {
	const text = beside("package.json");
	if (text === void 0) return /* @__PURE__ */ new Set();
	try {
		const manifest = readJson(text);
		return new Set([
			manifest.dependencies,
			manifest.devDependencies,
			manifest.optionalDependencies
		].filter(isObject).flatMap((part) => Object.entries(part).map(([name, range]) => `${name}@${String(range)}`)));
	} catch {
		return /* @__PURE__ */ new Set();
	}
}
/** yarn.lock, classic and berry. */
var readYarnLock = (text, beside) => {
	if (!/^(?:# yarn lockfile v1|__metadata:)/m.test(text)) throw new UnreadableFile("is not a yarn.lock");
	const asked = askedByPackage(beside);
	const versions = /* @__PURE__ */ new Map();
	const direct = [];
	for (const block of blocksOf(text)) {
		if (block.descriptors[0] === "__metadata" || block.version === "" || /@(?:workspace|link|portal):/.test(block.resolution)) continue;
		const name = nameOf(block);
		putHighest(versions, "npm", name, block.version);
		if (block.descriptors.some((descriptor) => asked.has(split(descriptor).join("@")))) direct.push([name, block.version]);
	}
	for (const [name, version] of direct) putVersion(versions, "npm", name, version);
	return versions;
};
//#endregion
//#region src/doors/cli/lock-files/locked.ts
/** If two files of a folder name the same package, the upper one of this list wins. */
var READERS = [
	["package-lock.json", readPackageLock],
	["npm-shrinkwrap.json", readPackageLock],
	["pnpm-lock.yaml", readPnpmLock],
	["yarn.lock", readYarnLock],
	["uv.lock", readPythonLock],
	["poetry.lock", readPythonLock],
	["requirements.txt", readRequirements],
	["Cargo.lock", readCargoLock],
	["go.mod", readGoMod],
	["go.sum", readGoSum],
	["pom.xml", readPom],
	["gradle.lockfile", readGradleLock],
	[".nvmrc", readNodeVersion],
	[".node-version", readNodeVersion],
	["package.json", readEngines],
	[".python-version", readPythonVersion],
	["rust-toolchain.toml", readRustToolchain],
	["rust-toolchain", readRustToolchain]
];
var LARGEST_FILE = 67108864;
var MOST_FOLDERS = 200;
var SKIPPED = /^(?:\.|node_modules$|vendor$|dist$|build$|target$)/;
/** Folders whose folders are the workspaces. */
var HOLDERS = /^(?:packages|apps|services|crates|libs|modules)$/;
function foldersIn(folder) {
	let entries;
	try {
		entries = readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
	return entries.filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name)).map((entry) => entry.name).sort();
}
/** The folder and one level of workspaces: `web`, and `packages/web` as well. */
function workspacesOf(root) {
	return [root, ...foldersIn(root).flatMap((name) => [join(root, name), ...HOLDERS.test(name) ? foldersIn(join(root, name)).map((inner) => join(root, name, inner)) : []])].slice(0, MOST_FOLDERS);
}
/** Undefined where there is no such file. */
function readText(file) {
	const found = statSync(file, { throwIfNoEntry: false });
	if (!found?.isFile()) return void 0;
	if (found.size > LARGEST_FILE) throw new UnreadableFile("is larger than 64 MB");
	return readFileSync(file, "utf8");
}
function mustBeText(text) {
	if (text.includes("\0")) throw new UnreadableFile("is not a text file");
	if (/^<<<<<<< /m.test(text)) throw new UnreadableFile("has unresolved merge conflicts");
}
var reasonOf = (error) => {
	if (error instanceof UnreadableFile) return error.message;
	return `cannot be read${error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""}`;
};
function readFolder(folder, root, into) {
	const found = /* @__PURE__ */ new Map();
	const beside = (name) => {
		try {
			return readText(join(folder, name));
		} catch {
			return;
		}
	};
	for (const [name, read] of READERS) {
		const file = relative(root, join(folder, name)).replaceAll("\\", "/");
		try {
			const text = readText(join(folder, name));
			if (text === void 0) continue;
			mustBeText(text);
			const versions = read(text.replace(/^\uFEFF/, ""), beside);
			for (const [key, version] of versions) if (!found.has(key)) found.set(key, version);
			if (versions.size > 0) into.files.push(file);
		} catch (error) {
			into.passedOver.push({
				file,
				reason: reasonOf(error)
			});
		}
	}
	return found;
}
/**
* The versions in the lock files of a checkout and its workspaces, beginning with the current folder. A broken file is
* skipped and named.
*/
function readLocked(root, folder = root) {
	const locked = {
		versions: /* @__PURE__ */ new Map(),
		files: [],
		passedOver: []
	};
	for (const each of /* @__PURE__ */ new Set([folder, ...workspacesOf(root)])) for (const [key, version] of readFolder(each, root, locked)) {
		const versions = locked.versions.get(key) ?? [];
		if (!versions.includes(version)) locked.versions.set(key, [...versions, version]);
	}
	return locked;
}
//#endregion
//#region src/doors/cli/lock-files/environment.ts
var MOST_NAMES = 30;
/** The vault refuses a question with a longer one. */
var LONGEST_NAME = 200;
var LARGEST_MANIFEST = 1048576;
/** The direct dependencies: of thousands of packages in a lock file, those that a person has chosen. */
function chosenNames(folder) {
	try {
		const file = join(folder, "package.json");
		const found = statSync(file, { throwIfNoEntry: false });
		if (!found?.isFile() || found.size > LARGEST_MANIFEST) return /* @__PURE__ */ new Set();
		const { dependencies, devDependencies } = JSON.parse(readFileSync(file, "utf8")) ?? {};
		return new Set(Object.keys({
			...dependencies,
			...devDependencies
		}).map((name) => `npm:${name}`));
	} catch {
		return /* @__PURE__ */ new Set();
	}
}
/** The versions in the lock files of a folder: runtimes first, then direct dependencies, then the rest, by name. */
function allVersionsOf(folder) {
	const { versions } = readLocked(folder);
	const chosen = chosenNames(folder);
	const rank = (key) => key.startsWith("runtime:") ? 0 : chosen.has(key) ? 1 : 2;
	const sorted = [...versions].sort(([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : Number(one > other)));
	const environment = {};
	for (const [key, [version]] of sorted) {
		const name = key.slice(key.indexOf(":") + 1);
		if (version !== void 0 && name.length <= LONGEST_NAME) environment[name] ??= version;
	}
	return environment;
}
/** The first of them, for a question that names no package. */
var environmentOf = (folder) => Object.fromEntries(Object.entries(allVersionsOf(folder)).slice(0, MOST_NAMES));
//#endregion
//#region src/doors/cli/name-in-project.ts
/**
* The relative path of a file inside the project; only the name of any other file. Nothing else about a person's
* folders leaves the machine.
*/
function nameInProject(file, folder) {
	if (!isAbsolute(file)) return file;
	const inside = folder === void 0 ? ".." : relative(folder, file);
	return (inside.startsWith("..") || isAbsolute(inside) ? file.split(/[\\/]/).at(-1) ?? file : inside).replaceAll("\\", "/");
}
//#endregion
//#region src/text/fnv.ts
var START = 2166136261;
var PRIME = 16777619;
/** FNV-1a over the UTF-16 units of a part of a text, 32 bits. A seed keeps hashes of different purposes apart. */
function fnv1a(text, seed = 0, from = 0, to = text.length) {
	let value = START ^ seed;
	for (let at = from; at < to; at += 1) value = Math.imul(value ^ text.charCodeAt(at), PRIME);
	return value;
}
//#endregion
//#region src/text/failure.ts
/**
* The lines of a failing command that matter. Recall searches by them, the command line sends nothing else, and
* mining recognises an error by its signature. Nothing here knows the server: it runs on the person's machine too.
*/
/** A line beyond this is data, not a message. */
var LONGEST_LINE = 600;
/** How many lines are read from either end: the rest is more of the same. */
var LINES_FROM_AN_END = 600;
var MOST_TELLING_LINES = 6;
/** The name or the code of an error as programs write them; `throw new Error(` is a line of code. */
var NAMED = new RegExp([
	String.raw`(?:Error|Exception|Fault)(?=:|\s*$|\]| \[|, )`,
	String.raw`\bException in\b`,
	String.raw`\berror(?:\[|:? )[A-Z]{1,4}\d{2,5}\b`,
	String.raw`\b(?:E(?:ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|BADENGINE|BADF|BUSY|CONN[A-Z]{5,8}|EXIST|HOSTUNREACH|INTEGRITY|INVAL|IO|ISDIR|LIFECYCLE|LOOP|MFILE|NAMETOOLONG|NETUNREACH|NFILE|NOENT|NOMEM|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND|NOTSUP|OTP|PERM|PIPE|PROTO|RESOLVE|ROFS|SRCH|TARGET|TIMEDOUT|USAGE|XDEV|[45]\d\d)|ERROR|FATAL)\b(?![-./])`,
	String.raw`\b(?:[A-Z]{2,12}_)?ERR(?:OR)?_[A-Z_]{3,60}\b|\b[A-Z]{2,5}-\d{4,6}\b`,
	String.raw`\b(?:panic|fatal|panicked)(?::| at\b)|\bERR!`,
	String.raw`: \*\*\* .{1,300} Stop\.$`,
	String.raw`\bterminate called after throwing\b|^\s*what\(\):|^WARNING: (?:DATA RACE|ThreadSanitizer:)`
].join("|"));
/** The word, not the name of a file or a page. */
var SAYS_ERROR = /(?<![\w/.-])(?:errors?|fatal|panic(?:ked)?|fail(?:ed|ure|s)?)(?![\w/-]|\.\w)|\bERR!/i;
var SAYS_WRONG = /\b(?:cannot|can't|couldn't|could not|unable to|not found|no such|denied|refus(?:ed|es|ing)|invalid|unexpected|undefined|missing|conflict|killed|exceeded|unsupported|unknown|expired|mismatch|duplicate|inconsistent|unmet|already (?:in use|exists?|allocated|taken|defined|running)|out of memory|deadlock|aborted|forbidden|unauthorized|rejected|crash(?:ed|es)?|timed out|timeout|not a|is not|does not|doesn't|isn't|must be|must not|not allowed|not permitted|is disabled|(?:is|are) required|unresolved|unreachable|overflow|corrupt(?:ed)?|too (?:many|large|long|low|old|open|small)|no space|not defined|not recognized|not supported|not installed|not set|core dumped|segmentation fault|illegal|violates|incompatible|broken pipe|reset by peer|no matching|nothing to)\b/i;
/** Lines of success, and lines that speak of errors without being one. */
var FINE = /\b(?:0|no|zero|without) (?:errors?|failures?|failed|problems?|warnings?|vulnerabilities)\b|\b(?:errors?|failed|failures?): ?0\b|^\s*(?:✓|✔|√|ok\b|PASS\b)/i;
var WARNING = /\b(?:warn(?:ing)?|deprecated)\b/i;
var SAYS_ERROR_FIRST = /\berror:/i;
/** It says that lines before it count as errors, so it is the reason only if nothing else is. */
var POINTS_BACK = /\bwarnings being treated as errors\b|\bwarnings (?:found and|can be incurred under) -Werror\b|\bdue to (?:\d+ )?previous errors?\b/i;
/** What programs write around the line that tells: it says that something failed, not what. */
var SUMMARY$1 = new RegExp([
	String.raw`^\s*(?:Traceback \(most|(?:Error|failures?|errors?):?\s*$|exit(?:ed)? (?:code|status))`,
	String.raw`^\s*npm (?:error|ERR!)\s*$`,
	String.raw`^\s*npm (?:error|ERR!) (?:A complete log|Lifecycle script|command (?:failed|sh)|path|workspace|errno|syscall|\s*\S*[/\\]_logs[/\\])`,
	String.raw`^\s*\[ERROR\]\s*(?:$|To see the full stack trace|Re-run Maven|For more information about the errors|\[Help \d)`,
	String.raw`^\s*(?:make|ninja|gmake)(?:\[\d+\])?: (?:\*\*\* (?:\[|Waiting)|.{0,200} stopped)`,
	String.raw`^\s*(?:Found |[×✖] )?\d+ (?:failed|failing|errors?|problems?)\b`,
	String.raw`\bcommand failed with exit code\b|\bELIFECYCLE\b|\bprocess completed with exit code\b`,
	String.raw`^\s*(?:FAIL|FAILED|BUILD FAILED)\s*$`
].join("|"), "i");
/** Whether a text names an error, or says that something failed. */
var saysFailure = (text) => SAYS_ERROR.test(text) || NAMED.test(text);
/** The name of a container, `##` of a pipeline, and what stands in brackets: a time, a thread. */
var BEFORE_LEVEL = String.raw`^\s*(?:[\w.-]{1,60}\s{0,20}\|\s{0,4})?(?:##)?(?:\[[^\]]{1,60}\]\s{0,4}){0,3}`;
/** The level of a log line that tells of no failure. Elsewhere DEBUG is a setting, and debug is a folder or a package. */
var QUIET_LEVELS = [
	new RegExp(String.raw`${BEFORE_LEVEL}(?<level>[[(<]?\s{0,2}(?:INFO|DEBUG|TRACE)(?=[\s:|\])>/-]|$))`),
	new RegExp(String.raw`${BEFORE_LEVEL}(?<level>\[\s{0,2}(?:info|debug|trace)\s{0,2}\]|(?:info|debug|trace):(?=\s|$)|(?:npm )?info\s)`, "i"),
	/(?<level>(?<![\w-])level="?(?:info|debug|trace)\b|"level": ?"(?:info|debug|trace)")/i
];
/** The first level in a line that begins with a time. */
var STAMPED_LEVEL = /\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|SEVERE|CRITICAL|FATAL)\b|\[(?:trace|debug|info|notice|warn(?:ing)?|error|crit|alert|emerg|fatal)\]/;
var LEVEL_WITHIN = 120;
var IS_QUIET = /TRACE|DEBUG|INFO/i;
/** Where the quiet level of a log line stands, or -1. */
function quietLevelAt(line) {
	for (const pattern of QUIET_LEVELS) {
		const found = pattern.exec(line);
		if (found) return found.index + found[0].length - (found.groups?.level?.length ?? 0);
	}
	const stamped = isStamped(line) ? STAMPED_LEVEL.exec(line.slice(0, LEVEL_WITHIN)) : null;
	return stamped && IS_QUIET.test(stamped[0]) ? stamped.index : -1;
}
function isQuiet(line) {
	const at = quietLevelAt(line);
	return at >= 0 && !saysFailure(line.slice(0, at));
}
/** It may be the reason, if nothing else is. A compiler that says `error:` first means an error. */
function warns(line) {
	const at = line.search(WARNING);
	return at >= 0 && !SAYS_ERROR_FIRST.test(line.slice(0, at));
}
/** Such a line counts only if no other line names a failure. */
var ASIDE = .5;
function weightOf(line) {
	if (line.length > LONGEST_LINE || isStackFrame(line)) return 0;
	const [saysError, saysWrong] = [SAYS_ERROR.test(line), SAYS_WRONG.test(line)];
	const isNamed = NAMED.test(line);
	if (!saysError && !saysWrong && !isNamed) return 0;
	if (FINE.test(line) || isQuiet(line)) return 0;
	if (SUMMARY$1.test(line)) return 0;
	if (POINTS_BACK.test(line) || warns(line) && !isNamed) return ASIDE;
	return Number(saysError) + Number(saysWrong) + 2 * Number(isNamed);
}
/** `Could not resolve dependency:` is followed by the reason, and so is any line before one that begins with `> `. */
var ANNOUNCES = /:\s*$/;
var IS_REASON = /^\s*> \S/;
var mayTell = ({ text, weight }) => weight === 0 && text.length <= LONGEST_LINE && !isStackFrame(text) && !SUMMARY$1.test(text) && !isQuiet(text);
/** The reason tells as much as the line that announces it, though it may say no word of a failure. */
function withReasons(lines) {
	let [before, isAnnounced] = [0, false];
	return lines.map((line) => {
		if (line.text.trim() === "") return line;
		const weighed = before > ASIDE && (isAnnounced || IS_REASON.test(line.text)) && mayTell(line) ? {
			...line,
			weight: before
		} : line;
		before = weighed.weight;
		isAnnounced = ANNOUNCES.test(line.text);
		return weighed;
	});
}
function weighedLines(output) {
	const all = terminalLines(output);
	return withReasons((all.length > 2 * LINES_FROM_AN_END ? [...all.slice(0, LINES_FROM_AN_END), ...all.slice(-600)] : all).map((text, at) => ({
		text,
		weight: weightOf(text),
		at
	}))).filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight || a.at - b.at);
}
/** The first of the lines that differ once they are cleaned. */
function cleaned(lines, most) {
	const kept = /* @__PURE__ */ new Map();
	for (const line of lines) {
		if (kept.size >= most) break;
		const text = cleanLine(line.text);
		if (/\p{L}/u.test(text) && !SUMMARY$1.test(text) && !kept.has(text)) kept.set(text, {
			...line,
			text
		});
	}
	return [...kept.values()];
}
var tellingAmong = (lines) => lines.filter(({ weight }) => weight > ASIDE);
/** The texts of lines in the order in which they were written. */
var inOrder = (lines) => lines.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
var LAST_LINES = 3;
/** The last lines of a failing command that names no error: most programs end with the reason. */
function lastLines(output) {
	return cleaned(terminalLines(output.slice(-6 * LONGEST_LINE)).map((text, at) => ({
		text: text.slice(0, LONGEST_LINE),
		weight: 0,
		at
	})).filter(({ text }) => !isStackFrame(text)).reverse(), LAST_LINES);
}
/** Without an exit code, a line must say that something failed, and what; or begin as git and compilers do. */
var SURELY_FAILED = 2;
var BEGINS_AS_ERROR = /^\s{0,8}error: /;
var isSure = ({ text, weight }) => weight >= SURELY_FAILED || BEGINS_AS_ERROR.test(text);
function readFailure(text) {
	const { command, exitCode, output } = readCommandText(text);
	const weighed = exitCode === 0 ? [] : weighedLines(output);
	const isFailure = exitCode === void 0 ? weighed.some(isSure) : exitCode !== 0;
	if (!isFailure) return {
		isFailure,
		command,
		lines: [],
		signature: ""
	};
	const telling = cleaned(tellingAmong(weighed), MOST_TELLING_LINES);
	const chosen = telling.length > 0 ? telling : [...cleaned(weighed, LAST_LINES), ...lastLines(output)];
	return {
		isFailure,
		command,
		lines: inOrder(chosen),
		signature: signatureOf(chosen.slice(0, SIGNED_LINES).map(({ text }) => text))
	};
}
/**
* The few lines of a failing command that say what is wrong, cleaned of all that changes from one execution to the next.
* Empty if the text is not a failure.
*/
var tellingLines = (text) => readFailure(text).lines;
/** A signature is made of the most telling lines: others differ more easily. */
var SIGNED_LINES = 2;
/** A number tells only as part of a name, as a version, or if it is called a code. */
var LOOSE_NUMBER = /(?<!\b(?:http|status|code|error|errno) )(?<![\p{L}\p{N}_.@-])\d+(?:[.,:]\d+)*(?![\p{L}\p{N}_])/giu;
var VERSION = /^\d+\.\d+\.\d+$/;
/** A line without counts, ports and addresses, which differ each time. */
var withoutLooseNumbers = (line) => line.replace(LOOSE_NUMBER, (number) => VERSION.test(number) ? number : " ");
var SECOND_SEED = 1597463007;
var hex = (value) => (value >>> 0).toString(16).padStart(8, "0");
function signatureOf(lines) {
	const signed = lines.map((line) => withoutLooseNumbers(line).toLowerCase().split(/\s+/).join(" ").trim()).filter((line) => line !== "").join("\n");
	return signed === "" ? "" : `${hex(fnv1a(signed))}${hex(fnv1a(signed, SECOND_SEED))}`;
}
//#endregion
//#region src/doors/cli/hooks/capture/telling.ts
/** The most useful part of an output: the telling lines of a failure, the two ends of anything else. */
function telling(output, hasFailed, most) {
	const lines = hasFailed ? tellingLines(output).join("\n") : "";
	return bothEnds(lines || output.trim(), most);
}
//#endregion
//#region src/doors/cli/hooks/capture/activity.ts
var LONGEST_COMMAND = 500;
var LONGEST_OUTPUT = 1500;
/** The vault takes 64 KiB of metadata in a turn. */
var MOST_BYTES = 57344;
var TEST_COMMAND = /\b(?:test|tests|check|spec|pytest|vitest|jest|mocha|tox|rspec|phpunit|ctest|unittest)\b/i;
var cutCommand = (command, clean) => clean(command).slice(0, LONGEST_COMMAND).toWellFormed();
var shown = (run, clean) => ({
	command: cutCommand(run.command, clean),
	exit_code: run.exitCode,
	output: telling(clean(terminalText(run.output)), hasFailed(run), LONGEST_OUTPUT)
});
/** Commands that failed and then succeeded, even if they failed in an earlier exchange. */
function redToGreen(runs, failingBefore, clean) {
	const failing = new Set(failingBefore);
	const tests = /* @__PURE__ */ new Map();
	for (const run of runs) {
		if (!TEST_COMMAND.test(run.command)) continue;
		const command = cutCommand(run.command, clean);
		if (hasFailed(run)) {
			failing.add(command);
			tests.delete(command);
		} else if (run.exitCode === 0 && failing.delete(command)) tests.set(command, {
			command,
			before: "failed",
			after: "passed"
		});
	}
	return {
		tests: [...tests.values()].slice(-20),
		failing: [...failing].slice(-20)
	};
}
/** The limit is in bytes. The least useful outputs are dropped first: those of commands that succeeded, oldest first. */
function withinBounds(activity) {
	const isTooLarge = () => Buffer.byteLength(JSON.stringify(activity)) > MOST_BYTES;
	const byWorth = [...activity.commands].sort((one, other) => Number(one.exit_code !== 0) - Number(other.exit_code !== 0));
	for (const command of byWorth) {
		if (!isTooLarge()) break;
		command.output = "";
	}
	while (isTooLarge() && activity.commands.length > 0) activity.commands.shift();
	return activity;
}
function activityOf(journal, folder, environment, failingBefore, clean) {
	const runs = journal.flatMap((entry) => "run" in entry ? [entry.run] : []);
	const files = journal.flatMap((entry) => "files" in entry ? entry.files : []);
	const { tests, failing } = redToGreen(runs, failingBefore, clean);
	return {
		activity: withinBounds({
			commands: runs.slice(-40).map((run) => shown(run, clean)),
			files: [...new Set(files.map((file) => nameInProject(file, folder)))].slice(-100),
			tests,
			environment
		}),
		failing
	};
}
//#endregion
//#region src/doors/cli/hooks/agents/codex-result.ts
var LONGEST_HEAD = 1e3;
var SPOKEN_CODE = /^(?:Process exited with code|Exit code:) (-?\d{1,3})$/m;
/** The command goes on; a later call of another tool asks how it ended. */
var RUNS_ON = /^Process running with session ID \d{1,10}$/m;
var OUTPUT = /^Output:\n/m;
var CODEX_OUTPUTS = /* @__PURE__ */ new Set(["function_call_output", "custom_tool_call_output"]);
var plain = (value) => typeof value === "string" ? value : "";
function textOf$1(output) {
	if (Array.isArray(output)) return output.map((part) => plain(partOf(part).text)).join("\n");
	return plain(isPayload(output) ? output.content : output);
}
/** What the output of a tool call says in a session of Codex. Its tools for commands write it in three forms. */
function codexResult(output) {
	const object = objectOf(output);
	if (isPayload(object.metadata)) return {
		exitCode: exitCodeOf(object),
		text: plain(object.output)
	};
	const text = textOf$1(output);
	const at = OUTPUT.exec(text);
	const head = text.slice(0, Math.min(at?.index ?? LONGEST_HEAD, LONGEST_HEAD));
	const code = SPOKEN_CODE.exec(head)?.[1];
	return {
		exitCode: code === void 0 ? null : Number(code),
		text: at ? text.slice(at.index + at[0].length) : text,
		runsOn: RUNS_ON.test(head)
	};
}
//#endregion
//#region src/doors/cli/hooks/capture/transcript.ts
/** Blocks that the client puts into messages. The person has not written them. */
var INSERTED = /<(system-reminder|ide_[a-z_]+)>[\s\S]*?<\/\1>/g;
var SUMMARY = /^This session is being continued from a previous conversation/;
var INTERRUPTION = /^\[Request interrupted by user[^\]]*\]$/;
var NOTICE = /^<(?:task-notification|teammate-message|cross-session-message|local-command-caveat)[\s>]/;
var COMMAND = /^<(?:command-(?:name|message|args|contents)|local-command-std(?:out|err)|bash-(?:input|stdout|stderr))>/;
function textOf(content) {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.flatMap((part) => part?.type === "text" && typeof part.text === "string" ? [part.text] : []).join("\n");
}
var parsed = (transcript) => transcript.split("\n").flatMap((line) => {
	try {
		return line ? [JSON.parse(line)] : [];
	} catch {
		return [];
	}
});
var ofAgentItself = (line) => line.isMeta || line.isSidechain || line.isCompactSummary || line.isVisibleInTranscriptOnly;
/** What a line contains: words of the person, a command, or something else, which is skipped. */
function wordsIn(line) {
	if (line.type !== "user" || ofAgentItself(line)) return "other";
	if (line.origin?.kind !== void 0 && line.origin.kind !== "human") return "other";
	const words = textOf(line.message?.content).replaceAll(INSERTED, "").trim();
	if (words === "" || SUMMARY.test(words) || INTERRUPTION.test(words) || NOTICE.test(words)) return "other";
	return COMMAND.test(words) ? "command" : { words };
}
/** The last message of the person; undefined if the last one was a command of the client. */
function personsWords(transcript) {
	const lines = parsed(transcript);
	for (let at = lines.length - 1; at >= 0; at--) {
		const line = lines[at];
		const found = wordsIn(line);
		if (found === "command") return void 0;
		if (found !== "other") return {
			text: found.words,
			id: line.uuid ?? `line ${at}`
		};
	}
}
/** The last words of the agent after the person's message. */
function agentsWords(transcript) {
	const lines = parsed(transcript);
	const start = lines.findLastIndex((line) => typeof wordsIn(line) === "object");
	return lines.slice(start + 1).filter((line) => line.type === "assistant" && !ofAgentItself(line)).map((line) => textOf(line.message?.content).trim()).filter((text) => text !== "").at(-1);
}
/** The last message of the agent in the events that Copilot CLI writes of a session. */
function lastMessage(events) {
	return parsed(events).filter(({ type }) => type === "assistant.message").map(({ data }) => textOf(data?.content).trim()).findLast((text) => text !== "");
}
/** Exit codes by the names of the calls, from the session that Codex writes. */
function exitCodes(session) {
	const codes = /* @__PURE__ */ new Map();
	for (const { payload } of parsed(session)) {
		if (!CODEX_OUTPUTS.has(payload?.type) || !payload?.call_id) continue;
		const { exitCode } = codexResult(payload.output);
		if (exitCode !== null) codes.set(payload.call_id, exitCode);
	}
	return codes;
}
//#endregion
//#region src/doors/cli/hooks/capture/capture.ts
var LARGEST_TRANSCRIPT = 268435456;
var LONGEST_END = 16777216;
var LONGEST_VERBATIM = 4e3;
/** How much of a message is redacted: some may paste megabytes. */
var LONGEST_REDACTED = 2e4;
/** Older versions of Claude Code write the agent's last words shortly after the Stop event. */
var TRANSCRIPT_LOOKS = 5;
var TRANSCRIPT_PAUSE_MS = 200;
function transcriptText(file) {
	const found = statSync(file, { throwIfNoEntry: false });
	return found?.isFile() && found.size <= LARGEST_TRANSCRIPT ? readFileSync(file, "utf8") : "";
}
/** Claude Code writes the person's words into its transcript, with its own insertions marked. */
async function saidInTranscript({ transcript = "", reply }) {
	const person = personsWords(transcriptText(transcript));
	if (!person) return void 0;
	let words = reply ?? agentsWords(transcriptText(transcript));
	for (let look = 1; look < TRANSCRIPT_LOOKS && !words; look++) {
		await setTimeout(TRANSCRIPT_PAUSE_MS);
		words = agentsWords(transcriptText(transcript));
	}
	return words ? {
		prompt: person.text,
		reply: words,
		id: person.id
	} : void 0;
}
/** Other agents pass the words, at the end or as they are said. Copilot has the answer in a file of events. */
function saidInJournal({ prompt, reply, transcript }, journal) {
	const asked = prompt ?? journal.flatMap((entry) => "prompt" in entry ? [entry.prompt] : []).at(-1);
	const answered = reply ?? journal.flatMap((entry) => "reply" in entry ? [entry.reply] : []).at(-1) ?? (transcript ? lastMessage(transcriptText(transcript)) : void 0);
	return asked && answered ? {
		prompt: asked,
		reply: answered,
		id: ""
	} : void 0;
}
/** The end of a file, which has the exchange that has just ended. */
function endOf(file, most) {
	const found = statSync(file, { throwIfNoEntry: false });
	if (!found?.isFile()) return "";
	const length = Math.min(found.size, most);
	const buffer = Buffer.alloc(length);
	const descriptor = openSync(file, "r");
	try {
		readSync(descriptor, buffer, 0, length, found.size - length);
	} finally {
		closeSync(descriptor);
	}
	return buffer.toString("utf8");
}
/** Codex passes no exit codes to a hook; its own file of the session has them, and it is right where both say one. */
function withExitCodes(journal, { transcript }) {
	const isNamed = (entry) => "run" in entry && entry.run.id !== void 0;
	if (!transcript || !journal.some(isNamed)) return [...journal];
	const codes = exitCodes(endOf(transcript, LONGEST_END));
	return journal.map((entry) => "run" in entry ? { run: {
		...entry.run,
		exitCode: codes.get(entry.run.id ?? "") ?? entry.run.exitCode
	} } : entry);
}
/**
* The interface's rule for long messages: the beginning verbatim, then how much was left out. Secrets are replaced
* before the cut: half a secret is not recognised.
*/
function verbatim(text, findings) {
	const start = startToRedact(text, LONGEST_REDACTED);
	const clean = cleanText(start, findings);
	if (clean.length <= LONGEST_VERBATIM) return clean;
	const left = clean.length - LONGEST_VERBATIM + (text.length - start.length);
	return `${clean.slice(0, LONGEST_VERBATIM).toWellFormed()}\n[… ${left} more characters]`;
}
/** What is stored of an exchange, and the commands that failed last in it. Everything is redacted here. */
function redacted({ agent, words, projectKey, folder, sessionId }, said, taken) {
	const environment = environmentOf(folder);
	keepEnvironment(folder, environment);
	const journal = withExitCodes(taken, words);
	const findings = new Findings();
	const clean = (text) => cleanText(text, findings);
	const { failing: failedBefore = [] } = readSession(sessionId);
	const { activity, failing } = activityOf(journal, folder, environment, failedBefore, clean);
	return {
		input: {
			project_key: projectKey,
			user_message: verbatim(said.prompt, findings),
			agent_report: verbatim(said.reply, findings),
			client: `${agent}-hook`,
			...sessionId ? { session_id: sessionId } : {},
			meta: { activity: cleanJson(activity, findings) }
		},
		failing
	};
}
/**
* Puts the exchange that has just ended into the spool, with its activity, and returns how many characters that are.
* It is redacted by the rules of the vault: no secret is written to the spool or leaves the machine. What happened stays
* in the journal until the exchange is written.
*/
async function captureTurn(exchange) {
	const { agent, profile, words, sessionId } = exchange;
	const { stored } = readSession(sessionId);
	const said = agent === "claude-code" ? await saidInTranscript(words) : saidInJournal(words, readJournal(sessionId));
	if (!said || said.id !== "" && stored === said.id) return 0;
	return takeJournal(sessionId, (taken) => {
		const { input, failing } = redacted(exchange, said, taken);
		put({
			url: profile.url,
			account: accountOf(profile),
			agent,
			input
		});
		rememberSession(sessionId, {
			failing,
			...said.id === "" ? {} : { stored: said.id }
		});
		return JSON.stringify(input).length;
	});
}
//#endregion
//#region src/doors/cli/hooks/spool/send.ts
var TIMEOUT_MS = 1e4;
/** Longer than one turn may take to send. */
var STALE_MS = 6e4;
/** A proxy, the sign-in page of a network or another service may answer in place of the vault, and has stored nothing. */
var isToolAnswer = (body) => body?.success === true;
/** The vault refuses in one of two forms: a sentence with a code, or a list of what is wrong with the input. */
function isOfVault(body) {
	const { detail, code } = body ?? {};
	if (typeof detail === "string") return typeof code === "string";
	return Array.isArray(detail) && detail.length > 0 && detail.every((issue) => typeof issue?.msg === "string");
}
/** Why the vault takes nothing for now: this account has no room for more text, or the vault none on its disk. */
function reasonToPause({ status, body }) {
	const { detail, code } = body ?? {};
	return status === 413 && code === "storage_full" || status === 503 && isOfVault(body) ? String(detail) : void 0;
}
/** The turn itself is refused, so a retry would not help: by the vault, or by a proxy for its size. */
var isRefused = ({ status, body }) => status === 413 || status >= 400 && status < 500 && ![
	401,
	403,
	408,
	409,
	425,
	429
].includes(status) && isOfVault(body);
async function sendOne({ url, idempotencyKey, input }, apiKey) {
	try {
		const options = {
			apiKey,
			timeoutMs: TIMEOUT_MS,
			idempotencyKey
		};
		const posted = await postJson(`${url}/mcp/tools/append_context_turn`, input, options);
		if (posted.status === 200 && isToolAnswer(posted.body)) return "sent";
		const pause = reasonToPause(posted);
		if (pause !== void 0) return { pause };
		return isRefused(posted) ? "refused" : "later";
	} catch {
		return "later";
	}
}
/** One after another. The first one that cannot be sent now stops the loop, to keep the order. */
async function sendAll(lock, profile) {
	const account = accountOf(profile);
	const pause = pauseOf(profile.url, account);
	if (pause && pause.until > Date.now()) return 0;
	let sent = 0;
	for (const name of waitingFiles()) {
		const waiting = read(name);
		if (waiting && !isFor(waiting, profile.url, account)) continue;
		const outcome = waiting ? await sendOne(waiting, profile.apiKey) : "refused";
		if (typeof outcome === "object") {
			pauseSending(profile.url, account, outcome.pause);
			return sent;
		}
		if (outcome === "later" || !lock.renew()) return sent;
		if (outcome === "sent" && pause) endPause();
		drop(name);
		if (outcome === "sent") sent += 1;
		else if (waiting) noteRun(waiting.agent, "capture", REFUSED);
	}
	return sent;
}
var REFUSED = {
	ms: 0,
	chars: 0,
	error: "The vault refused a turn; it was dropped."
};
/**
* Sends the spool, oldest first, and returns how many turns were sent. Turns of another vault or of another account
* wait until it is used again. A program that finds the lock taken leaves: its holder sends these turns too, or the
* next hook does.
*/
async function sendWaiting() {
	const { apiKey, ...rest } = findProfile();
	if (!apiKey || waitingFiles().length === 0) return 0;
	let all = 0;
	for (let rounds = 0; rounds < 3; rounds++) {
		const lock = takeLock(lockFile(), STALE_MS);
		if (!lock) return all;
		let sent = 0;
		try {
			trimSpool();
			sent = await sendAll(lock, {
				...rest,
				apiKey
			});
		} finally {
			lock.release();
		}
		all += sent;
		if (sent === 0) break;
	}
	return all;
}
//#endregion
export { adviceOnce, captureTurn, findProject, sendWaiting };
