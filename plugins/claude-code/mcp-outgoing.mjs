// Made by npm run build:plugin from src/doors/cli. Do not edit.
//#region src/features/redaction/randomness.ts
/**
* Tells random letters and digits from words and names of programs. Each pair of neighbours is compared: how often words have
* it, and how often it comes about by chance.
*/
/** What a letter (row) is followed by in words and identifiers: -log2 of the share, less one, as a digit. */
var FOLLOWED_BY = Float64Array.from([
	"84346648496242849231557657",
	"25552677267156259335378859",
	"27472782394377179342489949",
	"36651656167566369336367759",
	"46325557688342646223656469",
	"26662378198366269354388849",
	"27661543298353369245388958",
	"16661788298556279353587939",
	"45244449897341248433749795",
	"28561786487766257715263878",
	"35541666186464458525575858",
	"27651678297267269744468939",
	"14661878287547229746379959",
	"37332527375665369622558968",
	"55446647586331539233345578",
	"27662773397367249243488859",
	"56768776588366568544087877",
	"26441657295645259433557949",
	"47362684296556337631366859",
	"27571783198567369234497948",
	"43353559497232639222879788",
	"17750778198757379777789989",
	"16652863296473379335776768",
	"37372695278556327552588538",
	"45343658487233329422686776",
	"17750686287556379856496844"
].flatMap((row) => Array.from(row, (digit) => Number(digit) + 1)));
var BITS_OF_LETTER = Math.log2(26);
var NEW_WORD = 3.5;
var SAME_WORD = -.9;
var LETTER_THEN_DIGIT = 2.5;
var DIGIT_THEN_LETTER = 3.5;
var LONGER_NUMBER = -1.5;
/** How many bits speak for chance: far below zero for words, above ten for most random values of twelve or more characters. */
function randomBits(value) {
	const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
	let bits = 0;
	let before = 0;
	for (let at = 0; at < value.length; at += 1) {
		const code = value.charCodeAt(at);
		bits += pairBits(before, code, isMixed);
		before = code;
	}
	return bits;
}
/** The bits of that part of a text that has most of them: no part of it is more random. */
function mostRandomBits(text, start, end) {
	let bits = 0;
	let most = 0;
	let before = 0;
	for (let at = start; at < end; at += 1) {
		const code = text.charCodeAt(at);
		bits = Math.max(0, bits + pairBits(before, code, false));
		if (bits > most) most = bits;
		before = code;
	}
	return most;
}
function pairBits(before, code, isMixed) {
	if (isDigit(code)) return isLetter(before) ? LETTER_THEN_DIGIT : isDigit(before) ? LONGER_NUMBER : 0;
	if (!isLetter(code)) return 0;
	if (isDigit(before)) return DIGIT_THEN_LETTER;
	if (!isLetter(before)) return 0;
	if (before >= 97 && code < 97) return NEW_WORD;
	const pair = FOLLOWED_BY[((before | 32) - 97) * 26 + (code | 32) - 97] - BITS_OF_LETTER;
	return isMixed && code >= 97 && before >= 97 ? pair + SAME_WORD : pair;
}
var isLetter = (code) => code >= 97 && code <= 122 || code >= 65 && code <= 90;
var isDigit = (code) => code >= 48 && code <= 57;
//#endregion
//#region src/features/redaction/placeholders.ts
/**
* What documentation uses in place of a secret. A long random value contains any short word by chance
* so only long ones count anywhere in a value; the others must be whole words.
*/
var DOCUMENTATION_WORDS = /example|placeholder|changeme|change[-_]me|redacted|insert[-_]|replace[-_]|x{5,}|123456789|abcdefgh|deadbeef|0{8,}/i;
var OWN_WORD = /(?<![a-z0-9])(?:your[-_ ]|dummy|foobar)|(?:[-_ ]here|dummy|foobar)(?![a-z0-9])/i;
var WORD_IN_CAMEL_CASE = /[a-z](?:Dummy|Foobar|FooBar)(?![a-z])/;
function holdsDocumentationWord(value) {
	return DOCUMENTATION_WORDS.test(value) || OWN_WORD.test(value) || WORD_IN_CAMEL_CASE.test(value) || isElided(value);
}
/** `sk-ab...yz`, `********`: what is left of the value is not a secret any more. */
function isElided(value) {
	if (!/\.{3}|\*{3}/.test(value)) return false;
	return /^(?:\.{3}|\*{3})|(?:\.{3}|\*{3})$/.test(value) || value.replace(/[^A-Za-z0-9]/g, "").length < 20;
}
/** `${X}`, `$X`, `$env:X`, `{{x}}`, `%X%`, `<x>`, `[x]`, `process.env.X`: the name of a secret, not the secret. */
var REFERENCE = /^(?:\$[{(]|\$(?:env:)?[A-Za-z_]\w*$|%\w+%$|[<[{(]|process\.env|import\.meta|os\.environ|env\.|vars?\.|secrets\.|config\.|settings\.)|[{}<>]|^__\w+__$/i;
/** What tests and tutorials build their passwords from: `my-secret-1`, `Password123`, `testToken_2`. */
var TUTORIAL_WORDS = /my|your|the|some|test|super|new|old|user|admin|root|secret|password|passwd|pass|word|pwd|token|key|api|value|string|foo|bar|baz|custom|default|local|dev|prod|sample|fake|mock|valid|invalid|wrong|correct|auth|access|refresh|client|name|session|public|private|data|app|id/gi;
/** For values of a known form: what documentation puts there, or a word that happens to have the form. */
function isSampleValue(whole) {
	const value = beginningOf(whole);
	if (holdsDocumentationWord(value) || isMonotonous(value)) return true;
	return !/\d/.test(value) && !isUnpronounceable(value);
}
function isPlaceholder(whole) {
	const value = beginningOf(whole);
	if (REFERENCE.test(value) || holdsDocumentationWord(value) || isMonotonous(value)) return true;
	return value.length <= 40 && /^[\d\W_]{0,4}$/.test(value.replace(TUTORIAL_WORDS, ""));
}
/** For credentials with a known form: only an obvious sample. */
function isSampleToken(whole) {
	const tail = beginningOf(whole);
	return /example|x{6,}|placeholder|(?<![a-z0-9])your[-_]/i.test(tail) || isElided(tail) || isMonotonous(tail);
}
/** The same few characters again and again. A short number may well repeat its digits. */
function isMonotonous(value) {
	const enough = value.length <= 12 ? 3 : 4;
	const seen = /* @__PURE__ */ new Set();
	for (const character of value) if (seen.add(character).size === enough) return false;
	return true;
}
/** Shannon entropy in bits per character. */
function entropy(value) {
	const counts = /* @__PURE__ */ new Map();
	for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
	let bits = 0;
	for (const count of counts.values()) {
		const share = count / value.length;
		bits -= share * Math.log2(share);
	}
	return bits;
}
var CODE_LIKE = /^[./~]|:\/\/|\(|^[a-z]+(?:[-_.][a-z]+)+\d?$|^[A-Z]+(?:_[A-Z]+)+\d?$/;
var FILE_TYPE = /\.[a-z]{2,5}$/;
/** Code that only mentions a secret: a path, an address, a call, a list of words. */
function isCodeLike(value) {
	const slash = value.lastIndexOf("/");
	return CODE_LIKE.test(value) || slash !== -1 && FILE_TYPE.test(value.slice(slash));
}
/** The beginning of a value tells whether the rest is random. No more is read, however long the value is. */
var LONGEST_READ = 400;
var beginningOf = (value) => value.length > LONGEST_READ ? value.slice(0, LONGEST_READ) : value;
/** `config.auth.token2`: names joined by dots, with hardly a digit. */
function isMemberAccess(value) {
	if (!/^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value)) return false;
	return value.replace(/\D/g, "").length / value.length < .1;
}
/** Random enough to be a key: letters and digits mixed well, or letters in an order that no word has. */
function looksRandom(whole) {
	const value = beginningOf(whole);
	if (value.length < 10 || isCodeLike(value) || isMemberAccess(value)) return false;
	if (!/\d/.test(value)) return value.length >= 20 && isUnpronounceable(value);
	return entropy(value) >= Math.min(3.2, Math.log2(value.length) - .5);
}
/** How often a letter and a digit are neighbours. */
var changesIn = (value) => beginningOf(value).match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
/** Random beyond doubt: letters and digits alternate often, as in no word and no version. */
function isPlainlyRandom(whole) {
	const value = beginningOf(whole);
	if (value.length < 10 || !looksRandom(value)) return false;
	return changesIn(value) >= (value.length >= 16 ? 4 : 3);
}
/** People choose passwords, so they need not be random: letters with digits or signs among them are enough. */
function looksLikePassword(whole) {
	const value = beginningOf(whole);
	if (value.length < 6 || isCodeLike(value) || isMemberAccess(value) || !/[A-Za-z]/.test(value)) return false;
	if (!(/\d/.test(value) || value.length >= 8 && /[!@#$%^&*?+~]/.test(value))) return value.length >= 14 && isUnpronounceable(value);
	return entropy(value) >= 2.2;
}
var VOWELS = new Set(Array.from("aeiou", (vowel) => vowel.charCodeAt(0)));
var LETTER_Y = "y".charCodeAt(0);
var MANY_CONSONANTS = 5;
/** Words have a vowel every few letters and few capitals; random letters do not. In one pass, since values may be long. */
function isUnpronounceable(value) {
	let [letters, capitals, vowels, consonants, mostConsonants] = [
		0,
		0,
		0,
		0,
		0
	];
	for (let at = 0; at < value.length; at += 1) {
		const code = value.charCodeAt(at);
		const isCapital = code >= 65 && code <= 90;
		if (!isCapital && (code < 97 || code > 122)) continue;
		const lower = isCapital ? code + 32 : code;
		const isVowel = VOWELS.has(lower);
		letters += 1;
		if (isCapital) capitals += 1;
		if (isVowel) vowels += 1;
		consonants = isVowel || lower === LETTER_Y ? 0 : consonants + 1;
		if (consonants > mostConsonants) mostConsonants = consonants;
	}
	const share = capitals / letters;
	if (share > .35 && share < .75) return true;
	return vowels / letters < .27 && mostConsonants >= MANY_CONSONANTS;
}
var HEX = /^(?=[0-9a-f]*[a-f])(?=[a-f]*\d)(?:[0-9a-f]{16,128})$|^(?=[0-9A-F]*[A-F])(?=[A-F]*\d)[0-9A-F]{16,128}$/;
var SHORT_HASH = /^[0-9a-f]{8,15}$/;
/** Of SSH, or the first line of a public key or a certificate in an address. */
var PUBLIC_KEY$1 = /^AAAA[A-Z][23]|^-{4,5}BEGIN/;
var UUID$2 = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
var SIGN_OF_PASSWORD$1 = /[!@#$%^&*?~+]/;
/** Addresses, calls, variables, dates, times, versions, markup, expressions, parameters of an address. */
var OTHER_FORM = new RegExp([
	String.raw`^[./~@-]|:\/\/|^\$[\w{(]|^%\w+%$|^[a-z_][A-Za-z_]*(?:\$\d)+(?!\w)|\$\{`,
	String.raw`=>|->|::|&&|\|\||[!=]==?|\+\+|[{}]|\*\/|[\w)]\(|\)\.|\(\)|\[\w*\]|^!*\(`,
	String.raw`^[^@]+@[^@]*\.[a-z]{2,}|@v?\d+\.|^\d{4}-\d\d|^[~^]?v?\d+\.\d+|^#[\w-]*[a-z][\w-]*$|^[\w.-]{1,40}=$|[-_]$|^[A-Za-z]+[?!]+$|\.[a-z]{1,20}[?!]{1,2}$|^[a-z]\w*(?:\$[a-z]\w*)*\$\d+$|^[A-Z_]+\$\d$`,
	String.raw`[?&][\w-]+=|%[0-9A-F]{2}(?:[A-Za-z/]|%)|[,;\s\\]|^\]|A-Za|a-z0|[0A]-[9Z]|@[\^~]|\?\w+:|^0x[0-9A-Fa-f]{1,31}$`
].join("|"));
/** A path or a type of media. */
var SLASHED = /[A-Za-z]\/[A-Za-z]/;
var DOTTED = /[A-Za-z_]\.[A-Za-z_]/;
var LETTERS = /^[A-Za-z]+$/;
/** Small letters, capitals, digits and a sign that names have too. */
var isOfAllKinds = (value) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /[-_.=:]/.test(value);
/** Surely random, surely chosen as a password, or none of both. */
function certaintyOf(value) {
	if (value.length < 8 || value.length > 400) return 0;
	const hasDigit = /\d/.test(value);
	const isHex = hasDigit && HEX.test(value);
	const bits = isHex ? value.length : randomBits(value);
	const isPassword = hasDigit && /[A-Za-z]{2}/.test(value) && (SIGN_OF_PASSWORD$1.test(value) || bits > (value.length >= 12 ? 0 : 4) && isOfAllKinds(value));
	if (!isPassword && bits < 3) return 0;
	if (isPlaceholder(value) || PUBLIC_KEY$1.test(value)) return 0;
	if (isHex) return value.length >= 24 ? 3 : 2;
	if (UUID$2.test(value) || SHORT_HASH.test(value)) return 1;
	const share = bits / value.length;
	if (OTHER_FORM.test(value) && !(bits > 30 && share > .8)) return 0;
	if (SLASHED.test(value) && !(bits > 20 && share > .6)) return 0;
	if (DOTTED.test(value) && share < .7) return 0;
	if (hasDigit || LETTERS.test(value)) {
		if (bits >= 14 && share >= .6 && value.length >= (hasDigit ? 10 : 14)) return 3;
		if (isPassword) return bits >= 4 ? 3 : 2;
		if (bits >= (hasDigit ? 6 : 8) && share >= .4 && value.length >= (hasDigit ? 8 : 12)) return 2;
	}
	if (isPassword) return 2;
	return LETTERS.test(value) && share >= .2 && value.length >= 12 ? 1 : 0;
}
//#endregion
//#region src/features/redaction/rules/rule.ts
/** How certain a finding is: of two that overlap, the more certain one gives the kind. */
var RANK = {
	block: 4,
	token: 3,
	named: 2,
	assigned: 1
};
/** What must follow the last character of a token; a longer sequence of letters is something else. */
var TOKEN_END = "(?![A-Za-z0-9])";
/** What may follow a value in code, configuration and prose. */
var VALUE_END = "(?=[\\s\"'`;,<>&)\\]}|\\\\#]|[.:?!](?:\\s|$)|$)";
/** A part of a pattern that many formats share. */
var UUID$1 = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
function token(kind, prefixes, tail) {
	return {
		form: "token",
		kind,
		prefixes: [prefixes].flat(),
		tail: new RegExp(`(?:${tail})${TOKEN_END}`, "y")
	};
}
/** The start of a word, or what follows an escape such as `\\n` or `%3D`. */
var WORD_START = "(?:(?<![A-Za-z0-9])|(?<=\\\\[a-z]|%[0-9A-F]{2}))";
/** A credential whose fixed part is not its beginning: `<number>:AA…`, `….atlasv1.…`, `…-us12`. */
function inner(kind, head, fixed, tail) {
	return {
		...token(kind, fixed, tail),
		head: new RegExp(`(?<=${WORD_START}(${head}))`, "y")
	};
}
function named(kind, names, value) {
	return {
		form: "named",
		kind,
		names: [names].flat(),
		value: new RegExp(`(?:${value})${VALUE_END}`, "iy")
	};
}
//#endregion
//#region src/features/redaction/long-tokens.ts
/** Longer than the opaque tokens that services hand out; a longer value is data. */
var LONGEST_TOKEN = 4e3;
var LONG = new RegExp(`[A-Za-z0-9_+/.~=%-]{201,${LONGEST_TOKEN}}(?=[\\s"'\`;,)\\]}\\\\<&]|$)`, "y");
/** As much as shows whether the rest is random. */
var SAMPLE = 400;
/** In a random value a quarter to a half of all neighbours are a letter and a digit; in a path or in words hardly any. */
var LEAST_SHARE_OF_CHANGES = .1;
var PUBLIC_KEY_OF_SSH = /^AAAA[A-Z][23][NVY]/;
/** A long token beside its name, such as the one that renews a session. No password is that long. */
function longToken(text, start, kind) {
	if (kind === "password") return void 0;
	LONG.lastIndex = start;
	const value = LONG.exec(text)?.[0];
	if (value === void 0 || PUBLIC_KEY_OF_SSH.test(value)) return void 0;
	const sample = value.slice(0, SAMPLE);
	if (isPlaceholder(sample) || !isPlainlyRandom(sample)) return void 0;
	if (changesIn(sample) < LEAST_SHARE_OF_CHANGES * sample.length) return void 0;
	return {
		start,
		end: start + value.length,
		kind,
		rank: RANK.assigned
	};
}
//#endregion
//#region src/core/pieces.ts
/** Does all pieces without a pause. */
function doAll(pieces) {
	for (;;) {
		const { done, value } = pieces.next();
		if (done) return value;
	}
}
//#endregion
//#region src/features/redaction/phrases.ts
/** Passwords with blanks in them. Only in quotes: without them nobody can tell where such a password ends. */
var PHRASE = /[^"'`\r\n\\<>{}]{8,100}(?=["'`])/y;
/** A mail provider gives a password for an app in four groups of four letters. */
var APP_PASSWORD = /^[a-z]{4}(?: [a-z]{4}){3}$/;
/** A sentence about a password has one of these words. */
var PROSE$1 = /\b(?:an?|and|are|as|at|be(?:en)?|by|can|cannot|characters?|contain|digits?|do|does|enter|fail(?:ed|s)?|for|from|has|have|here|if|in|is|it|least|letters?|long|min|must|need|new|no|not|of|on|one|only|or|passwords?|please|see|short|should|than|that|the|they|this|to|use|used|was|we|when|will|with|your?)\b/i;
var SIGN$1 = /[!@#$%^&*~]/;
var REFERENCE_OR_MAIL = /^\$|@[^@]*\./;
/** Beside letters it has a digit and a sign, as words and versions do not. */
function isPasswordLike(word) {
	return /\d/.test(word) && SIGN$1.test(word) && !REFERENCE_OR_MAIL.test(word) && looksLikePassword(word);
}
/** The password in quotes that starts here, behind the opening quote. */
function phraseAt(text, start) {
	PHRASE.lastIndex = start;
	const phrase = PHRASE.exec(text)?.[0];
	if (phrase === void 0 || text[start + phrase.length] !== text[start - 1] || PROSE$1.test(phrase)) return void 0;
	if (!(APP_PASSWORD.test(phrase) || phrase.split(" ").some(isPasswordLike)) || isPlaceholder(phrase) || isPlaceholder(phrase.replaceAll(" ", ""))) return void 0;
	return {
		start,
		end: start + phrase.length,
		kind: "password",
		rank: RANK.assigned
	};
}
//#endregion
//#region src/features/redaction/value-runs.ts
var WORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
var BLANKS$2 = " 	\n\v\f\r";
var setOf = (characters) => {
	const set = /* @__PURE__ */ new Uint8Array(128);
	for (const character of characters) set[character.charCodeAt(0)] = 1;
	return set;
};
/** Many names in one run are data or an attack. Only the first ones are tried. */
var MOST_TRIES$1 = 8;
var AMPERSAND = 38;
/** The next field of an address. The value before it ends here. */
var NEXT_FIELD = /&\w{1,30}[=;]/y;
/**
* Decides whether the pattern of a notation is worth trying. It reads to the end of a run of characters of values, only to
* find there that no value ends so. The run is read once for all names inside it: a paste of them kept the server busy
* for seconds.
*/
var ValueRuns = class {
	#text;
	#notation;
	#start = 0;
	#end = 0;
	#hasInnerEnd = false;
	#tries = 0;
	#lastTry = -1;
	constructor(text, notation) {
		this.#text = text;
		this.#notation = notation;
	}
	/** May a value start here? */
	admits(at) {
		if (at < this.#start || at >= this.#end) this.#moveTo(at);
		if (!(this.#end - at <= this.#notation.longest && this.#mayEnd(this.#end)) && !this.#hasInnerEnd) return false;
		if (at !== this.#lastTry) {
			this.#lastTry = at;
			this.#tries += 1;
		}
		return this.#tries <= MOST_TRIES$1;
	}
	/** Beyond ASCII the pattern knows the blanks. */
	#mayEnd(at) {
		const code = this.#text.charCodeAt(at);
		return at === this.#text.length || code > 127 || this.#notation.behind[code] === 1;
	}
	#moveTo(at) {
		const { inside, behind } = this.#notation;
		let end = at;
		this.#hasInnerEnd = false;
		for (; end < this.#text.length; end += 1) {
			const code = this.#text.charCodeAt(end);
			if (inside[code] === 1) continue;
			if (code !== AMPERSAND || this.#beginsField(end)) break;
			if (behind[AMPERSAND] === 1) this.#hasInnerEnd = true;
		}
		this.#start = at;
		this.#end = end;
		this.#tries = 0;
	}
	#beginsField(at) {
		NEXT_FIELD.lastIndex = at;
		return NEXT_FIELD.test(this.#text);
	}
};
//#endregion
//#region src/features/redaction/values-with-signs.ts
/**
* Bare values with signs that code has too: `DB_PASSWORD=…?…`, `password: …:…`, `FAL_KEY=<id>:<key>`. A value with a
* closing bracket is code.
*/
var VALUE$1 = /(?![:?|([{])(?:[A-Za-z0-9_+/.~!@#%^*=$:?|([{-]|&(?!\w{1,30}[=;])){8,200}(?=[\s"'`;,<]|$)/y;
var SIGNED_NOTATION = {
	inside: setOf(`${WORD_CHARACTERS}+/.~!@#%^*=$:?|([{-`),
	behind: setOf(`${BLANKS$2}"'\`;,<`),
	longest: 200
};
var SIGN = /[:?|([{]/;
var BRACKET = /[([{]/g;
var SIGNS_AT_END = /[:?|([{.]{1,8}$/;
var END_OF_LINE = /[ \t]{0,20}(?:\r?\n|$)/y;
/** No key has them, nor an equals sign but at its end. */
var SIGN_OF_PASSWORD = /[?([{]|=(?!=?$)/;
/** Cells of a table, or commands of a shell. */
var MANY_BARS = /\|.*\|/;
/** Times, addresses of machines, digests, names of resources, keys of rows, variables: they mix letters and digits too. */
var KNOWN_FORM = new RegExp([
	String.raw`^\d{4}-\d\d-\d\dT`,
	"(?:^|:)(?:[0-9a-f]{0,4}:){2}",
	String.raw`(?:^|[@:])(?:sha\d{1,3}|md5):`,
	"^(?:arn|urn|ssm|vault):",
	String.raw`^(?:[a-z][\w-]{0,30}:){1,4}[0-9a-f]{8}-[0-9a-f]{4}-`,
	String.raw`(?:^|[:?|([{/.@=-])\$[\w({]`
].join("|"), "i");
var BETWEEN_PARTS = /[:?|([{/.@_=+-]/;
/** A word, a number, or a word with a number: `db1.example.com:5432`, `Foo1|Bar2`, `tokens[index1`. */
var PLAIN_PART = /^[A-Za-z]{0,200}\d{0,200}$/;
var isCode = (value) => KNOWN_FORM.test(value) || value.split(BETWEEN_PARTS).every((part) => PLAIN_PART.test(part));
/** More than `looksLikePassword` asks for, because most bare text with such signs is code. */
function isSurelyPassword(value) {
	const isMixed = /[a-z]/.test(value) && /\d/.test(value) && /[A-Z!@#%^*~]/.test(value);
	const changes = changesIn(value);
	return isMixed && (changes >= 2 || changes === 1 && isUnpronounceable(value)) && looksLikePassword(value);
}
/** The value that starts here, if it has such a sign and is a secret beyond doubt. */
function secretWithSigns(text, start, kind) {
	VALUE$1.lastIndex = start;
	const written = VALUE$1.exec(text)?.[0];
	if (written === void 0) return void 0;
	const value = written.replace(SIGNS_AT_END, "");
	if (!SIGN.test(value) || MANY_BARS.test(value)) return void 0;
	if (kind !== "password" && SIGN_OF_PASSWORD.test(value) || isCode(value)) return void 0;
	const plain = value.replace(BRACKET, "");
	if (plain !== value && !endsLine(text, start + written.length)) return void 0;
	if (isPlaceholder(plain)) return void 0;
	return (kind === "password" ? isSurelyPassword(plain) : isPlainlyRandom(value)) ? {
		start,
		end: start + value.length,
		kind,
		rank: RANK.assigned
	} : void 0;
}
/** What follows a bracket that is never closed is the rest of a call. */
function endsLine(text, at) {
	END_OF_LINE.lastIndex = at;
	return END_OF_LINE.test(text);
}
//#endregion
//#region src/features/redaction/assignments.ts
/**
* From the end of a name to the start of its value: the rest of the name, a closing quote or bracket, an
* operator of some language, opening quotes. Bounded everywhere, so that one try costs a constant.
*/
var REST_OF_NAME$2 = `[ \\t\\w.-]{0,24}?(?:&quot;|[\\s"'\`\\])\\\\*~]{0,4})`;
/** A pair of JSON that may stand between a name and its value. */
var SHORT_PAIR = `["']\\w{1,30}["']\\s{0,4}:\\s{0,4}(?:true|false|null|\\d{1,10}|"[^"\\n]{0,40}")`;
var OPERATOR = [
	`:[ \\t]{0,2}(?:&(?:'[a-z]{1,10}[ \\t])?)?[A-Za-z][\\w<>[\\]|?.]{0,30}[ \\t]{1,2}=(?=[ \\t])`,
	`(?:,\\s{0,40}${SHORT_PAIR}){0,2},?\\s{0,40}["']?value["']?[ \\t]{0,2}[:=]`,
	"={1,3}>?",
	"%3D",
	":{1,3}=",
	"[?.|+]{1,2}=",
	"\\|{2}",
	"->",
	"[:>]",
	`[,(](?=[ \\t]{0,4}["'\`])`
].join("|");
var LINK$1 = new RegExp(`${REST_OF_NAME$2}(?:${OPERATOR})(?:[*~]{1,3}|_{1,3}(?=\\s))?[ \\t]{0,40}(?:(?:[|>][+-]?)?\\r?\\n[ \\t]{1,40}|\\\\\\r?\\n[ \\t]{0,40})?(?:[A-Za-z_.]{0,30}\\(?\\\\?["'\`]|&quot;)?`, "iy");
/** `--password value`: a blank is enough after a flag, also with the value on the next line. */
var FLAG_LINK = /[\w-]{0,20}[ \t]{1,4}(?:\\\r?\n[ \t]{0,40})?["']?/y;
var LONGEST_REST = 25;
var IN_NAME$2 = /* @__PURE__ */ new Uint8Array(128);
for (const character of " 	.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") IN_NAME$2[character.charCodeAt(0)] = 1;
/** In prose a name is usually followed by more words, so there is nothing to match. */
function mayHaveOperator(text, nameEnd) {
	for (let at = nameEnd; at < nameEnd + LONGEST_REST; at += 1) if (IN_NAME$2[text.charCodeAt(at)] !== 1) return at < text.length;
	return false;
}
/** Where the value of the name that ends at `nameEnd` starts, or -1. */
function valueStart(text, nameEnd) {
	if (!mayHaveOperator(text, nameEnd)) return -1;
	LINK$1.lastIndex = nameEnd;
	return LINK$1.test(text) ? LINK$1.lastIndex : -1;
}
function flagValueStart(text, nameEnd) {
	FLAG_LINK.lastIndex = nameEnd;
	if (!FLAG_LINK.test(text)) return -1;
	const before = text.slice(Math.max(0, nameEnd - 40), nameEnd);
	return before.includes("--", before.lastIndexOf(" ") + 1) ? FLAG_LINK.lastIndex : -1;
}
/** A value after a name that says "secret": a secret if it looks random enough. */
function assignedSecret(text, nameEnd, kind, reach) {
	const linked = valueStart(text, nameEnd);
	const start = linked === -1 ? flagValueStart(text, nameEnd) : linked;
	const longest = kind === "password" ? LONGEST_VALUE$1 : LONGEST_TOKEN;
	return (start !== -1 && reach.stretches.admitsValue(start, longest) ? secretAt$1(text, start, kind, reach) : void 0) ?? spokenSecret(text, nameEnd, kind) ?? secretBelow(text, nameEnd, kind);
}
/** A name that ends its line, and a value that has one of the next two lines to itself. */
var BELOW$1 = /[ \t"'`*_~)\]]{0,4}(:?)[ \t"'`*_~)\]]{0,4}\r?\n(?:[ \t]{0,20}\r?\n)?[ \t>*"'`-]{0,12}([A-Za-z0-9_+/.~!@#%^*$&-]{6,200}={0,2})["'`*]{0,3}[ \t]{0,20}(?=\r?\n|$)/y;
function secretBelow(text, nameEnd, kind) {
	BELOW$1.lastIndex = nameEnd;
	const found = BELOW$1.exec(text);
	const value = found?.[2];
	if (!found || value === void 0) return void 0;
	const start = found.index + found[0].lastIndexOf(value);
	if (found[1] === ":") return secretValue(value, start, kind);
	return isPlaceholder(value) || !isPlainlyRandom(value) ? void 0 : {
		start,
		end: start + value.length,
		kind,
		rank: RANK.assigned
	};
}
/** `my token is …`, `ENV TOKEN …`, `PASSWORD '…'`: only a blank between them, so the value itself must look like a secret. */
var spoken = (about) => new RegExp(`[A-Z_]{0,20}[ \\t]{1,4}${about}((?:is|was|to|ist|lautet|est|es|[-–—→])[ \\t]{1,4})?(["'\`]?)([A-Za-z0-9_+/.~!@#%^*=$&-]{8,200})(?=[\\s"'\`;,)\\]}]|$)`, "y");
var SPOKEN = spoken("");
/** `the password for staging is …`. A key for something is often a number of a row. */
var SPOKEN_PASSWORD = spoken("(?:(?:for|of|on)(?:[ \\t]{1,4}[\\w.-]{1,30}){1,3}[ \\t]{1,4}(?=is|was))?");
function spokenSecret(text, nameEnd, kind) {
	const next = text.charCodeAt(nameEnd);
	if (next !== 32 && next !== 9 && next !== 95) return void 0;
	const pattern = kind === "password" ? SPOKEN_PASSWORD : SPOKEN;
	pattern.lastIndex = nameEnd;
	const found = pattern.exec(text);
	const value = found?.[3]?.replace(/[;,.!]{1,8}$/, "");
	if (!found || value === void 0 || isPlaceholder(value)) return void 0;
	if (!(kind === "password" && found[1] !== void 0 && isPasswordLike(value)) && !isPlainlyRandom(value)) return void 0;
	const start = found.index + found[0].length - found[3].length;
	return {
		start,
		end: start + value.length,
		kind,
		rank: RANK.assigned
	};
}
var LONGEST_VALUE$1 = 400;
var QUOTED = /[^"'`\s\\<>]{6,200}(?=\\?["'`])/y;
var BARE$1 = /(?:[A-Za-z0-9_+/.~!@#%^*=$-]|&(?!\w{1,30}[=;])){6,400}(?=[\s"'`;,)\]}\\<&]|$)/y;
var BARE_NOTATION = {
	inside: setOf(`${WORD_CHARACTERS}+/.~!@#%^*=$-`),
	behind: setOf(`${BLANKS$2}"'\`;,)]}\\<&`),
	longest: LONGEST_VALUE$1
};
/** Quotes of the other kinds and escaped ones belong to a password. Between escaped quotes nothing else is escaped. */
var inQuotes = (quote) => ({
	plain: new RegExp(`(?:[^${quote}\\s\\\\<>]|\\\\[^\\sA-Za-z0-9]){6,200}(?=${quote})`, "y"),
	escaped: new RegExp(`[^${quote}\\s\\\\<>]{6,200}(?=\\\\${quote})`, "y")
});
var IN_QUOTES$1 = {
	"\"": inQuotes("\""),
	"'": inQuotes("'"),
	"`": inQuotes("`")
};
/** Folders and name spaces. */
var BACKSLASHED = /\\\\.*\\\\/;
/** `{{x}}`, `${x}`, `a{x}`: brackets in pairs hold a name. One alone belongs to the password. */
var TEMPLATE = /[$#%]\{|\{\{|\{[^{}]{0,200}\}/;
var LONE_BRACE = /(?<=.)[{}]/g;
function quotedPassword(text, start, quote) {
	const pattern = IN_QUOTES$1[quote][text[start - 2] === "\\" ? "escaped" : "plain"];
	pattern.lastIndex = start;
	const value = pattern.exec(text)?.[0];
	if (value === void 0 || BACKSLASHED.test(value) || TEMPLATE.test(value)) return void 0;
	const found = secretValue(value.replace(LONE_BRACE, ""), start, "password");
	return found && {
		...found,
		end: start + value.length
	};
}
var isQuote = (sign) => sign === "\"" || sign === "'" || sign === "`";
function valueAt(text, start, pattern) {
	pattern.lastIndex = start;
	return pattern.exec(text)?.[0].replace(/[;,.]{1,8}$/, "");
}
/** The value that starts here, behind its opening quote, if it is a secret. */
function quotedSecret(text, start, kind) {
	const opener = text[start - 1];
	const whole = isQuote(opener) && kind === "password" ? quotedPassword(text, start, opener) : void 0;
	if (whole) return whole;
	const value = valueAt(text, start, QUOTED);
	if (value !== void 0) return secretValue(value, start, kind);
	return kind === "password" ? phraseAt(text, start) : longToken(text, start, kind);
}
function bareSecret(text, start, kind, { bare, signed }) {
	const value = bare.admits(start) ? valueAt(text, start, BARE$1) : void 0;
	if (value !== void 0) return secretValue(value, start, kind);
	return (signed.admits(start) ? secretWithSigns(text, start, kind) : void 0) ?? longToken(text, start, kind);
}
var secretAt$1 = (text, start, kind, reach) => isQuote(text[start - 1]) ? quotedSecret(text, start, kind) : bareSecret(text, start, kind, reach);
/** A value beside a name of this kind: a secret if it looks random enough. */
function secretValue(value, start, kind) {
	if (isPlaceholder(value)) return void 0;
	return (kind === "password" ? looksLikePassword(value) : looksRandom(value)) ? {
		start,
		end: start + value.length,
		kind,
		rank: RANK.assigned
	} : void 0;
}
//#endregion
//#region src/features/redaction/automaton.ts
var PIECE_CHARACTERS = 16384;
function buildAutomaton(keywords) {
	const lower = keywords.map((keyword) => keyword.toLowerCase());
	const { classOf, width } = characterClasses(lower);
	const trie = buildTrie(lower, classOf, width);
	completeTransitions(trie, width);
	const { next, output, states } = trie;
	const ends = Uint8Array.from({ length: states }, (_, state) => output[state] === void 0 ? 0 : 1);
	/** Returns the state after the piece. */
	function scanPiece(text, from, to, before, hit) {
		let state = before;
		for (let at = from; at < to; at += 1) {
			const code = text.charCodeAt(at);
			state = code < 128 ? next[state * width + (classOf[code] ?? 0)] ?? 0 : 0;
			if (ends[state] === 1) for (const keyword of output[state] ?? []) hit(keyword, at + 1);
		}
		return state;
	}
	function* scanInPieces(text, hit) {
		let state = 0;
		for (let from = 0; from < text.length; from += PIECE_CHARACTERS) {
			if (from > 0) yield;
			state = scanPiece(text, from, Math.min(from + PIECE_CHARACTERS, text.length), state, hit);
		}
	}
	return {
		scan: (text, hit) => doAll(scanInPieces(text, hit)),
		scanInPieces
	};
}
/** Class 0 is every character that no keyword holds. */
function characterClasses(keywords) {
	const classOf = /* @__PURE__ */ new Uint8Array(128);
	let width = 1;
	for (const keyword of keywords) for (let at = 0; at < keyword.length; at += 1) {
		const code = keyword.charCodeAt(at);
		if (code >= 128) throw new Error("keywords are ASCII");
		if (classOf[code] !== 0) continue;
		classOf[code] = width;
		classOf[keyword.charAt(at).toUpperCase().charCodeAt(0)] = width;
		width += 1;
	}
	return {
		classOf,
		width
	};
}
function buildTrie(keywords, classOf, width) {
	const mostStates = 1 + keywords.reduce((sum, keyword) => sum + keyword.length, 0);
	if (mostStates > 65536) throw new Error("the keywords need more states than 16 bits can number");
	const next = new Uint16Array(mostStates * width);
	const [lastChild, sibling] = [new Uint16Array(mostStates), new Uint16Array(mostStates)];
	const classInto = new Uint8Array(mostStates);
	const output = new Array(mostStates).fill(void 0);
	let states = 1;
	for (const [index, keyword] of keywords.entries()) {
		let state = 0;
		for (let at = 0; at < keyword.length; at += 1) {
			const cls = classOf[keyword.charCodeAt(at)] ?? 0;
			let child = next[state * width + cls];
			if (child === 0) {
				child = states++;
				next[state * width + cls] = child;
				sibling[child] = lastChild[state];
				lastChild[state] = child;
				classInto[child] = cls;
			}
			state = child;
		}
		const ends = output[state];
		if (ends === void 0) output[state] = [index];
		else ends.push(index);
	}
	return {
		next: next.slice(0, states * width),
		states,
		lastChild,
		sibling,
		classInto,
		output
	};
}
/**
* Breadth first, so that the row of a shorter ending is complete when a state falls back to it. A row is copied as a
* whole: a hook waits for this, and a loop over its cells takes several times as long.
*/
function completeTransitions(trie, width) {
	const { next, states, lastChild, sibling, classInto, output } = trie;
	const fallback = new Uint16Array(states);
	const queue = new Uint16Array(states);
	for (let head = 0, tail = 1; head < tail; head += 1) {
		const state = queue[head];
		const back = fallback[state] * width;
		const shorter = state === 0 ? void 0 : output[fallback[state]];
		if (shorter !== void 0) output[state] = [...output[state] ?? [], ...shorter];
		if (state !== 0) next.copyWithin(state * width, back, back + width);
		for (let child = lastChild[state]; child !== 0; child = sibling[child]) {
			const cell = state * width + classInto[child];
			fallback[child] = state === 0 ? 0 : next[cell];
			next[cell] = child;
			queue[tail++] = child;
		}
	}
}
//#endregion
//#region src/features/redaction/key-lines.ts
/**
* Lines of a private key that stand behind something else: line numbers, marks of quotes and diffs, the name of a container,
* the string literals of a program. Each line is read from its end, once.
*/
var LONGEST_LINE$1 = 240;
var LONGEST_PREFIX = 80;
var LONGEST_SUFFIX = 12;
/** So many characters of base64 at the end of a line are no words. */
var SURELY_KEY = 40;
/** The last line of a key is shorter. It counts only behind a prefix like that of the lines beside it. */
var LEAST_LAST = 16;
var IN_BASE64 = /* @__PURE__ */ new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") IN_BASE64[character.charCodeAt(0)] = 1;
var isBase64 = (text, at) => IN_BASE64[text.charCodeAt(at)] === 1;
/** Where the line goes on to from `at`, or where it begins; -1 if it is too long. */
function lineEnd(text, at) {
	for (let end = at; end <= at + LONGEST_LINE$1; end += 1) if (end >= text.length || text[end] === "\n") return end;
	return -1;
}
function lineStart(text, at) {
	for (let start = at; start >= at - LONGEST_LINE$1; start -= 1) if (start <= 0 || text[start - 1] === "\n") return Math.max(0, start);
	return -1;
}
/** Without what follows the key in a line of a program: blanks, quotes, commas, a plus, an escaped line end. */
function withoutSuffix(text, from, start) {
	let end = from;
	while (end > start && from - end < LONGEST_SUFFIX) {
		const [sign = "", before = ""] = [text[end - 1], text[end - 2]];
		if ((sign === "n" || sign === "r") && before === "\\") end -= 2;
		else if (" 	\r\"'`,;)\\".includes(sign)) end -= 1;
		else if (sign === "+" && (before === " " || before === "\"" || before === "'")) end -= 1;
		else break;
	}
	return Math.max(start, end);
}
/** The key in a line. `expected` is the length of the prefix of a line beside it; numbers of lines grow. */
function keyIn(text, start, end, expected) {
	const keyEnd = withoutSuffix(text, end, start);
	let keyStart = keyEnd;
	while (keyStart > start && keyEnd - keyStart < 2 && text[keyStart - 1] === "=") keyStart -= 1;
	const isPadded = keyStart < keyEnd;
	while (keyStart > start && isBase64(text, keyStart - 1)) keyStart -= 1;
	const [length, prefix] = [keyEnd - keyStart, keyStart - start];
	if (prefix > LONGEST_PREFIX) return void 0;
	const isLast = expected !== void 0 && Math.abs(expected - prefix) <= 1 && (length >= LEAST_LAST || isPadded && length > 2);
	return length >= SURELY_KEY || isLast ? {
		start: keyStart,
		end: keyEnd,
		prefix
	} : void 0;
}
/** Where the line after the one of `at` begins, if nothing but a suffix follows `at`. */
function nextLine(text, at) {
	const end = lineEnd(text, at);
	return end !== -1 && end - at <= LONGEST_SUFFIX && withoutSuffix(text, end, at) === at && end < text.length ? end + 1 : -1;
}
function keyLineBelow(text, at, expected) {
	const start = nextLine(text, at);
	const end = start === -1 ? -1 : lineEnd(text, start);
	return end === -1 ? void 0 : keyIn(text, start, end, expected);
}
/** The key in the line that ends before the line end at `end`. */
function keyLineAbove(text, end, expected) {
	const start = end < 0 ? -1 : lineStart(text, end);
	return start === -1 ? void 0 : keyIn(text, start, end, expected);
}
var HEADER_OF_ENCRYPTED = /(?:Proc-Type|DEK-Info|Version|Comment): /;
/** Behind the headers of an encrypted key and the empty line after them; where there are none, `at` itself. */
function afterHeaders(text, at) {
	let end = at;
	for (let lines = 0; lines < 5; lines += 1) {
		const start = nextLine(text, end);
		const next = start === -1 ? -1 : lineEnd(text, start);
		if (next === -1) return end;
		const line = text.slice(start, next);
		if (!(lines > 0 && line.length <= LONGEST_PREFIX && !/[A-Za-z0-9+/]{16}/.test(line)) && !HEADER_OF_ENCRYPTED.test(line)) return end;
		end = next;
	}
	return end;
}
//#endregion
//#region src/features/redaction/blocks.ts
var HEADER = /(?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----/y;
var PEM = {
	begin: "-----BEGIN ",
	header: HEADER,
	end: "-----END",
	footer: /-----END(?: OpenVPN Static key V1|[A-Z0-9 ]{0,60})(?:-----)?/y
};
/** Keys of commercial SSH, with four dashes and a blank. */
var SSH2 = {
	begin: "---- BEGIN ",
	header: /SSH2 (?:ENCRYPTED )?PRIVATE KEY ----/y,
	end: "---- END",
	footer: /---- END(?: [A-Z0-9 ]{0,60})?(?:----)?/y
};
var LONGEST_BLOCK = 5e4;
var LEAST_BLOCK = 32;
var keyBetween = (start, end) => ({
	start,
	end,
	kind: "private_key",
	rank: RANK.block
});
/** Finds private key blocks, even with escaped line ends or without their end line. */
function blockFinder(text, marks) {
	let nextEnd = -2;
	return (markerEnd) => {
		marks.header.lastIndex = markerEnd;
		if (!marks.header.test(text)) return void 0;
		const bodyStart = marks.header.lastIndex;
		if (nextEnd !== -1 && nextEnd < bodyStart) nextEnd = text.indexOf(marks.end, bodyStart);
		const end = nextEnd === -1 || nextEnd - bodyStart > LONGEST_BLOCK ? openEnd(text, bodyStart) : closedEnd(text, nextEnd, marks.footer);
		if (end - bodyStart < LEAST_BLOCK) return void 0;
		return keyBetween(markerEnd - marks.begin.length, end);
	};
}
function closedEnd(text, from, footer) {
	footer.lastIndex = from;
	return footer.test(text) ? footer.lastIndex : from;
}
/** A line of a key's body: base64, or one of the headers that an encrypted key carries. */
var BODY_LINE = /(?:\\[nr]|\s){0,20}(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{1,100}|[A-Za-z0-9+/]{16,100}={0,2}|[A-Za-z0-9+/]{1,16}={1,2})(?=[\s\\"'`,]|$)/y;
var LINE_COUNT = /[ \t]{0,4}\d{1,4}(?:\\[nr]|\s){1,6}/y;
/** The secret lines of a PuTTY key, from the end of `Private-Lines:`. */
function puttyLines(text, markerEnd) {
	LINE_COUNT.lastIndex = markerEnd;
	if (!LINE_COUNT.test(text)) return void 0;
	const start = LINE_COUNT.lastIndex;
	const end = openEnd(text, start);
	return end - start < LEAST_BLOCK ? void 0 : keyBetween(start, end);
}
/** A block without its end line: everything that looks like its body is removed, whatever stands before each line. */
function openEnd(text, bodyStart) {
	let end = bodyStart;
	let prefix;
	while (end - bodyStart < LONGEST_BLOCK) {
		BODY_LINE.lastIndex = end;
		if (BODY_LINE.test(text)) {
			end = BODY_LINE.lastIndex;
			continue;
		}
		const line = keyLineBelow(text, end === bodyStart ? afterHeaders(text, end) : end, prefix);
		if (!line) break;
		end = line.end;
		prefix = line.prefix;
	}
	return end;
}
/** The body before an end line whose beginning is missing, from the end of `-----END `. */
function headlessBlock(text, markerEnd) {
	HEADER.lastIndex = markerEnd;
	if (!HEADER.test(text)) return void 0;
	const end = HEADER.lastIndex;
	const marker = markerEnd - 9;
	const start = bodyAbove(text, marker) ?? escapedBody(text, marker);
	return start === void 0 || marker - start < LEAST_BLOCK ? void 0 : keyBetween(start, end);
}
function bodyAbove(text, marker) {
	const footerStart = lineStart(text, marker);
	if (footerStart === -1) return void 0;
	let found;
	let [above, prefix] = [footerStart - 1, marker - footerStart];
	while (marker - above < LONGEST_BLOCK) {
		const line = keyLineAbove(text, above, prefix);
		if (!line) break;
		found = line.start;
		above = line.start - line.prefix - 1;
		prefix = line.prefix;
	}
	return found;
}
/** Lines of a key with escaped line ends between them: `…\n…\n-----END`. */
function escapedBody(text, marker) {
	let start = marker;
	while (marker - start < LONGEST_BLOCK) {
		let at = start;
		while (at > 1 && (text[at - 1] === "n" || text[at - 1] === "r") && text[at - 2] === "\\") at -= 2;
		if (at === start && start !== marker) break;
		while (at > 0 && text[at - 1] === "=") at -= 1;
		const end = at;
		while (at > 0 && end - at < 100 && isBase64(text, at - 1)) at -= 1;
		if (text[at - 1] === "\\") at += 1;
		if (end - at < 2) break;
		start = at;
	}
	return start === marker ? void 0 : start;
}
/** A block as an address or a form has it: `-----BEGIN%20PRIVATE%20KEY-----%0A…`, also with plus signs for blanks. */
var ENCODED_HEADER = /(?:[A-Z0-9]|%20|\+){0,60}PRIVATE(?:%20|\+)KEY(?:(?:%20|\+)BLOCK)?-----/y;
var IN_ADDRESS = /(?:[A-Za-z0-9+/=_]|%[0-9A-Fa-f]{2}|-(?!----END)){1,50000}/y;
var FOOTER_IN_ADDRESS = /-----END(?:[A-Z0-9+]|%20){0,60}(?:-----)?/y;
/** From the end of `-----BEGIN%20` or `-----BEGIN+`. */
function addressedBlock(text, markerEnd) {
	ENCODED_HEADER.lastIndex = markerEnd;
	if (!ENCODED_HEADER.test(text)) return void 0;
	const start = ENCODED_HEADER.lastIndex;
	IN_ADDRESS.lastIndex = start;
	if (!IN_ADDRESS.test(text) || IN_ADDRESS.lastIndex - start < LEAST_BLOCK) return void 0;
	FOOTER_IN_ADDRESS.lastIndex = IN_ADDRESS.lastIndex;
	const end = FOOTER_IN_ADDRESS.test(text) ? FOOTER_IN_ADDRESS.lastIndex : IN_ADDRESS.lastIndex;
	return keyBetween(text.lastIndexOf("-----", markerEnd - 6), end);
}
/** `LS0tLS1CRUdJTi` is `-----BEGIN ` in base64: a key as kubeconfig and environments of pipelines keep it. */
var ENCODED_BEGIN = "LS0tLS1CRUdJTi";
var ENCODED_HEAD = /[A-Za-z0-9+/]{12,62}/y;
var ENCODED_BODY = /[A-Za-z0-9+/]{1,50000}={0,2}/y;
function encodedBlock(text, markerEnd) {
	const start = markerEnd - 14;
	ENCODED_HEAD.lastIndex = markerEnd;
	const head = text.startsWith("LS0tLS1CRUdJTi", start) ? ENCODED_HEAD.exec(text)?.[0] : void 0;
	if (head === void 0 || !isPrivate("LS0tLS1CRUdJTi" + head)) return void 0;
	ENCODED_BODY.lastIndex = markerEnd;
	return ENCODED_BODY.test(text) ? keyBetween(start, openEnd(text, ENCODED_BODY.lastIndex)) : void 0;
}
/** Without Buffer, because the web app uses the same rules in the browser. */
var isPrivate = (encoded) => /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(atob(encoded.slice(0, encoded.length - encoded.length % 4)));
/**
* Key files that are base64 as a whole, with what stands at the end of `keyword` always the same: PKCS #12, keys of
* PKCS #8 and #1 without their first line, Java key stores. `head` is what stands before it: a length.
*/
var LENGTH = /(?<=(?<![A-Za-z0-9+/])MII[A-P][A-Za-z0-9+/][AQgw])/y;
var NOTHING = /(?<![A-Za-z0-9+/])/y;
var BINARY_KEYS = [...[
	"IBAzCC",
	"IBADANBgkqhkiG9w0BAQEFAASC",
	"IBAAKCAQEA",
	"IBAAKCAgEA",
	"IBAAKCAYEA"
].map((keyword) => ({
	keyword,
	head: LENGTH,
	before: 6
})), ...[
	"MIGHAgEAMBMGByqGSM49",
	"MIG2AgEAMBAGByqGSM49",
	"MIACAQMwgAYJ",
	"/u3+7QAAAA"
].map((keyword) => ({
	keyword,
	head: NOTHING,
	before: 0
}))];
var binaryKeywords = BINARY_KEYS.map(({ keyword }) => keyword);
var LEAST_BINARY = 100;
function binaryKey(text, keywordEnd, index) {
	const kind = BINARY_KEYS[index];
	if (!kind) return void 0;
	const fixed = keywordEnd - kind.keyword.length;
	kind.head.lastIndex = fixed;
	if (!text.startsWith(kind.keyword, fixed) || !kind.head.test(text)) return void 0;
	ENCODED_BODY.lastIndex = keywordEnd;
	if (!ENCODED_BODY.test(text)) return void 0;
	const [start, end] = [fixed - kind.before, openEnd(text, ENCODED_BODY.lastIndex)];
	return end - start < LEAST_BINARY ? void 0 : keyBetween(start, end);
}
//#endregion
//#region src/features/redaction/command-arguments.ts
/** Arguments of a command, up to its end; a backslash at the end of a line goes on. */
var ARGUMENTS = "(?:[^\\n|;&\"'`]|\\\\\\r?\\n|\"[^\"\\n]{0,100}\"|'[^'\\n]{0,100}'){0,200}?";
var BLANKS$1 = "(?:[ \\t]|\\\\\\r?\\n){1,8}";
var WORD$2 = "(?:\"[^\"\\n]{1,100}\"|'[^'\\n]{1,100}'|[^\\s\"'`;|&<>()-][^\\s\"'`;|&<>()]{0,100})";
var quoted = (before = "") => `"${before}([^"\\n]{4,200})"|'${before}([^'\\n]{4,200})'`;
/** A shell reads these signs itself, so a bare password has none of them. A dash begins the next flag. */
var BARE = "(?!-)([^\\s\"'`;|&<>()]{4,200})";
var VALUE = `(?:${quoted()}|${BARE})`;
/** `user:`; two slashes after the colon make it an address. */
var USER$1 = "[^\\s:\"']{1,100}:(?!//)";
var OF_REPOSITORY = "\\.[\\w.-]{1,60}";
var NAME_OF_VALUE = "[\\w.-]{1,100}=";
var pattern = (...parts) => new RegExp(parts.join(""), "y");
var byFlag = (flag, between = BLANKS$1) => pattern(ARGUMENTS, BLANKS$1, flag, between, VALUE);
var FLAGS = `(?:${BLANKS$1}-[A-Za-z0-9]{1,8}){1,4}`;
var withFlag = (letter) => `(?=(?:${BLANKS$1}-[A-Za-z0-9]{1,8}){0,3}${BLANKS$1}-[A-Za-z0-9]{0,7}${letter})`;
var MONGO = [
	"mongosh",
	"mongo",
	"mongodump",
	"mongorestore",
	"mongoexport",
	"mongoimport"
];
var SQL_SERVER = [
	"sqlcmd",
	"bcp",
	"osql",
	"tsql"
];
var MOSQUITTO = ["mosquitto_pub", "mosquitto_sub"];
var LDAP = [
	"ldapsearch",
	"ldapmodify",
	"ldapadd",
	"ldapdelete",
	"ldapwhoami"
];
/** Commands that are given a password, or another secret, by a flag or by its place. */
var COMMANDS = [
	{
		names: ["redis-cli", "valkey-cli"],
		value: byFlag("-a")
	},
	{
		names: [
			...MONGO,
			"az login",
			"oc login",
			"cf login",
			"cqlsh",
			"evil-winrm"
		],
		value: byFlag("-p")
	},
	{
		names: [
			...SQL_SERVER,
			...MOSQUITTO,
			"unzip",
			"zip"
		],
		value: byFlag("-P", "[ \\t]{0,4}")
	},
	{
		names: ["requirepass", "masterauth"],
		isUnsure: true,
		value: pattern(BLANKS$1, VALUE)
	},
	{
		names: ["ssh-keygen"],
		value: byFlag("-N")
	},
	{
		names: ["openssl enc"],
		value: byFlag("-k")
	},
	{
		names: ["doctl auth init"],
		kind: "token",
		value: byFlag("-t")
	},
	{
		names: ["xfreerdp", "xfreerdp3"],
		value: byFlag("/p:", "")
	},
	{
		names: ["lftp"],
		value: byFlag("-u[ \\t]{0,4}[\"']?[^\\s,\"']{1,100},", "")
	},
	{
		names: ["curl"],
		value: pattern(ARGUMENTS, BLANKS$1, "-[A-Za-z#]{1,8}u[ \\t]{0,4}", `(?:${quoted(USER$1)}|${USER$1}${BARE})`)
	},
	{
		names: ["poetry config"],
		value: pattern(BLANKS$1, `(?:http-basic${OF_REPOSITORY}${BLANKS$1}${WORD$2}|pypi-token${OF_REPOSITORY})`, BLANKS$1, VALUE)
	},
	{
		names: ["ConvertTo-SecureString"],
		isUnsure: true,
		value: pattern(`(?:${BLANKS$1}-(?:String|AsPlainText|Force)){0,3}${BLANKS$1}(?:${quoted()})`)
	},
	{
		names: LDAP,
		value: byFlag("-w", "[ \\t]{0,4}")
	},
	{
		names: [
			"7z",
			"7za",
			"7zz"
		],
		value: byFlag("-p", "")
	},
	{
		names: [
			"smbclient",
			"rpcclient",
			"smbget"
		],
		value: pattern(ARGUMENTS, BLANKS$1, "(?:-U[ \\t]{0,4}|--user[= ])[\"']?[^\\s%\"']{1,100}%", VALUE)
	},
	{
		names: ["htpasswd"],
		value: pattern(withFlag("b"), withFlag("n"), FLAGS, BLANKS$1, WORD$2, BLANKS$1, VALUE)
	},
	{
		names: ["htpasswd"],
		value: pattern(withFlag("b"), FLAGS, BLANKS$1, WORD$2, BLANKS$1, WORD$2, BLANKS$1, VALUE)
	},
	{
		names: ["rabbitmqctl"],
		value: pattern(ARGUMENTS, BLANKS$1, "(?:add_user|change_password)", BLANKS$1, WORD$2, BLANKS$1, VALUE)
	},
	{
		names: ["snmp-server community"],
		isUnsure: true,
		value: pattern(BLANKS$1, VALUE)
	},
	{
		names: ["acl setuser"],
		isUnsure: true,
		value: pattern(ARGUMENTS, BLANKS$1, ">", VALUE)
	},
	{
		names: ["net use"],
		value: pattern(BLANKS$1, WORD$2, BLANKS$1, VALUE),
		isUnsure: true
	},
	{
		names: [
			"snmpwalk",
			"snmpget",
			"snmpset",
			"snmpbulkwalk"
		],
		value: byFlag("-[AX]"),
		isUnsure: true
	},
	{
		names: ["net user"],
		value: pattern(BLANKS$1, WORD$2, BLANKS$1, VALUE),
		isUnsure: true
	},
	{
		names: ["gh secret set"],
		kind: "secret",
		value: byFlag("(?:--body|-b)", `(?:=|${BLANKS$1})`)
	},
	{
		names: ["create secret"],
		kind: "secret",
		isRepeated: true,
		value: pattern(...[
			ARGUMENTS,
			BLANKS$1,
			`--from-literal(?:=|${BLANKS$1})`
		], `(?:${quoted(NAME_OF_VALUE)}|${NAME_OF_VALUE}${VALUE})`)
	}
];
var MOST_REPEATED = 20;
/** Nobody names a command again within so few characters. */
var SHORTEST_COMMAND = 10;
/** For each name the keyword of the text and what to look for behind it. */
var commandKeywords = COMMANDS.flatMap(({ names, ...command }) => names.map((name) => ({
	keyword: `${name} `,
	command
})));
/** Behind a name and the blank after it. The name is not looked for again before `readUntil`. */
function givenSecrets(text, end, { keyword, command }) {
	const { value: pattern, kind = "password", isRepeated, isUnsure } = command;
	if (/\w/.test(text[end - keyword.length - 1] ?? "")) return {
		spans: [],
		readUntil: end
	};
	const spans = [];
	let at = end - 1;
	for (let times = 0; times < (isRepeated ? MOST_REPEATED : 1); times += 1) {
		pattern.lastIndex = at;
		const found = pattern.exec(text);
		const value = found?.slice(1).find((group) => group !== void 0);
		if (!found || value === void 0) break;
		at = pattern.lastIndex;
		const start = found.index + found[0].lastIndexOf(value);
		if ((isUnsure ? looksLikePassword(value) : /[A-Za-z]/.test(value)) && !isPlaceholder(value)) spans.push({
			start,
			end: start + value.length,
			kind,
			rank: RANK.assigned
		});
	}
	return {
		spans,
		readUntil: Math.max(at, end + SHORTEST_COMMAND)
	};
}
//#endregion
//#region src/features/redaction/commands.ts
/** `user:password`; two slashes after the colon make it an address. */
var USER_AND_PASSWORD$1 = `["']?[^\\s:"']{1,100}:(?!//)([^\\s"']{4,100})`;
/** Before `-u`. In a command for containers this names user and group. */
var WEB_CLIENT = /(?:curl|wget|http|ftp|aria2c)(?![\s\S]{0,300}\b(?:docker|podman|nerdctl)[ -])/i;
/** Commands that take a password by position, not by an operator. */
var HANDOVERS = [
	{
		after: " -u",
		value: new RegExp(`[ \\t]{0,2}${USER_AND_PASSWORD$1}`, "y"),
		only: WEB_CLIENT
	},
	{
		after: " -a",
		value: new RegExp(`[ \\t]{1,4}${USER_AND_PASSWORD$1}`, "y"),
		only: /(?:^|[\s;&|$])(?:https?|xh)[ \t]/
	},
	{
		after: " -b",
		value: /[ \t]{0,4}["']?[\w.-]{0,40}(?:sess|sid|auth|token|jwt)[\w.-]{0,40}=([^\s"';]{8,400})/iy,
		only: /curl/i
	},
	{
		after: " -p",
		value: /["']?([^\s"']{6,100})/y,
		only: /mysql|mariadb/i
	},
	{
		after: " -p ",
		value: /["']?([^\s"']{6,100})/y,
		only: /(?:docker|podman|registry) login/i
	},
	...[" -p ", " -P "].map((after) => ({
		after,
		value: /["']?(?!-)([^\s"']{6,100})/y,
		only: /[ \t](?:-[uUl]|--user(?:name)?|--login)[ =]?[^\s-][^\s]{0,100}(?:[ \t][^\n|;]{0,200})?$/
	})),
	...["-user ", "-user="].map((after) => ({
		after,
		value: new RegExp(USER_AND_PASSWORD$1, "y"),
		only: WEB_CLIENT
	})),
	{
		after: "sshpass -p",
		value: /[ \t]{0,4}["']?([^\s"']{4,100})/y
	},
	{
		after: "identified by",
		value: /[ \t]{1,4}["']([^\s"']{4,100})/y
	},
	{
		after: "identified with",
		value: /[ \t]{1,4}["'`]?\w{1,60}["'`]?[ \t]{1,4}by[ \t]{1,4}["']([^\s"']{4,100})/iy
	},
	{
		after: " password ",
		value: /'([^\s"']{4,100})(?=')/y,
		only: /(?:alter|create)[ \t]{1,4}(?:user|role)[ \t][^;:\n]{1,200}$/i
	},
	{
		after: "sqlplus ",
		value: /(?:-\w{1,8}[ \t]{1,4}){0,3}["']?[\w$#.]{1,60}\/"?([^\s"'@]{4,100})(?="?@)/y
	},
	...[
		"impdp ",
		"expdp ",
		"sqlldr ",
		"rman target ",
		"sqlcl "
	].map((after) => ({
		after,
		value: /["']?[\w$#.]{1,60}\/"?([^\s"'@]{4,100})(?="?@)/y
	})),
	{
		after: "oracle:thin:",
		value: /[\w$#.]{1,60}\/"?([^\s"'@/]{4,100})(?="?@)/y
	},
	{
		after: "login ",
		value: /[^\s]{1,100}\s{1,20}password\s{1,20}([^\s"']{4,100})/y,
		only: /machine|default/i
	},
	{
		after: "*:*:*:",
		value: /[^\s:]{1,100}:([^\s:]{4,100})/y,
		only: /(?:^|[\s"'`])\*:\*:\*:$/
	},
	{
		after: ":5432:",
		value: /[^\s:]{1,100}:[^\s:]{1,100}:([^\s:]{4,100})/y
	}
];
var handoverKeywords = HANDOVERS.map(({ after }) => after);
function handedOver(text, end, index) {
	const handover = HANDOVERS[index];
	if (!handover) return void 0;
	handover.value.lastIndex = end;
	const found = handover.value.exec(text);
	const password = found?.[1]?.replace(/@[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}$/, "");
	if (!found || !password || isPlaceholder(password) || !/[A-Za-z]/.test(password)) return void 0;
	if (handover.only && !handover.only.test(text.slice(Math.max(0, end - 300), end))) return void 0;
	const start = found.index + found[0].length - found[1].length;
	return {
		start,
		end: start + password.length,
		kind: "password",
		rank: RANK.assigned
	};
}
//#endregion
//#region src/features/redaction/distant-values.ts
var LONGEST_NAME$2 = 40;
var LONGEST_BEFORE$2 = 400;
var IN_NAME$1 = /* @__PURE__ */ new Uint8Array(128);
for (const character of ".-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") IN_NAME$1[character.charCodeAt(0)] = 1;
/** Where the quote is that opens the name, or -1. Most names have none, and cost no more than this. */
function openingQuote(text, { start }) {
	let at = start - 1;
	while (at > start - LONGEST_NAME$2 && IN_NAME$1[text.charCodeAt(at)] === 1) at -= 1;
	return text[at] === "\"" || text[at] === "'" ? at : -1;
}
/** The value of a name in quotes that is not next to it. */
function distantSecret(text, name, kind) {
	const quote = openingQuote(text, name);
	if (quote === -1) return void 0;
	return valueInside(text, name, kind, DEFAULT) ?? valueInside(text, name, kind, OUTPUT) ?? valueBefore(text, quote, kind);
}
var DEFAULT = /[\w-]{0,40}["']\s{0,4}\{[^{}]{0,400}?\bdefault\s{0,20}=\s{0,4}["']/y;
var OUTPUT = new RegExp(`[\\w-]{0,40}["']\\s{0,4}:\\s{0,4}\\{\\s{0,40}(?:${SHORT_PAIR},\\s{0,40}){0,2}["']value["']\\s{0,4}:\\s{0,4}["']`, "y");
/** `variable "db_password" { default = "…" }` and `"db_password": { "value": "…" }` of Terraform. */
function valueInside(text, { end }, kind, opening) {
	opening.lastIndex = end;
	return opening.test(text) ? quotedSecret(text, opening.lastIndex, kind) : void 0;
}
var NAME_OF_PAIR = "[\"'](?:name|key)[\"']\\s{0,4}:\\s?$";
var IS_NAME = new RegExp(NAME_OF_PAIR, "i");
var VALUE_BEFORE = new RegExp(`["']value["']\\s{0,4}:\\s{0,4}["']([^"'\\n\\\\]{6,200})["']\\s{0,20},(?:\\s{0,40}${SHORT_PAIR},){0,2}\\s{0,40}${NAME_OF_PAIR}`, "i");
/** `{"value": "…", "name": "MY_API_KEY"}`: a list that has the value first. */
function valueBefore(text, quote, kind) {
	if (text[quote - 1] !== ":" && text[quote - 2] !== ":") return void 0;
	if (!IS_NAME.test(text.slice(Math.max(0, quote - 20), quote))) return void 0;
	const from = Math.max(0, quote - LONGEST_BEFORE$2);
	const found = VALUE_BEFORE.exec(text.slice(from, quote));
	const value = found?.[1];
	if (!found || value === void 0) return void 0;
	return secretValue(value, from + found.index + found[0].indexOf(value, 8), kind);
}
//#endregion
//#region src/features/redaction/rules/names.ts
var SECRET_NAMES = [
	{
		kind: "password",
		whole: false,
		names: [
			"password",
			"passwd",
			"passphrase",
			"passcode",
			"passwort",
			"kennwort",
			"mot_de_passe",
			"mot de passe",
			"contrasena",
			"wachtwoord",
			"passord",
			"losenord",
			"adgangskode",
			"salasana",
			"palavra-passe",
			"palavra_passe",
			"kata sandi",
			"haslo",
			"heslo",
			"lozinka",
			"jelszo",
			"pass word",
			"pass-word",
			"pass_word",
			"pass phrase",
			"pass-phrase",
			"pass code",
			"passw0rd",
			"passw0rt",
			"p@ssword",
			"p@ssw0rd",
			"pa55word",
			"p4ssword",
			"passwrd",
			"pasword",
			"p a s s w o r d",
			"p a s s w o r t",
			"motdepasse",
			"mot-de-passe",
			"palavra passe",
			"katasandi",
			"kodeord",
			"parool",
			"slaptazodis",
			"geslo",
			"lykilord",
			"contrasenya",
			"contrasinal",
			"parolan",
			"zaporka"
		]
	},
	{
		kind: "password",
		whole: true,
		names: [
			"pass",
			"pwd",
			"pw",
			"psk",
			"senha",
			"parola",
			"parole",
			"sifre",
			"mdp",
			"clave",
			"losen",
			"pswd",
			"pass wd"
		]
	},
	{
		kind: "secret",
		whole: false,
		names: [
			"secret",
			"credential",
			"private_key",
			"privatekey",
			"private-key",
			"signing_key",
			"signingkey",
			"signing-key",
			"encryption_key",
			"encryptionkey",
			"encryption-key",
			"master_key",
			"masterkey",
			"recovery code",
			"backup code",
			"access code",
			"security code",
			"unlock code",
			"geheimnis",
			"segredo",
			"segreto"
		]
	},
	{
		kind: "secret",
		whole: true,
		names: [
			"creds",
			"salt",
			"hmac"
		]
	},
	{
		kind: "token",
		whole: false,
		names: [
			"session_id",
			"sessionid",
			"authorization"
		]
	},
	{
		kind: "token",
		whole: true,
		names: [
			"token",
			"auth",
			"bearer",
			"jwt",
			"jeton"
		]
	},
	{
		kind: "api_key",
		whole: false,
		names: [
			"api_key",
			"apikey",
			"api-key",
			"api key",
			"access_key",
			"accesskey",
			"access-key",
			"access key",
			"account_key",
			"accountkey",
			"shared_key",
			"sharedkey",
			"license_key",
			"licensekey",
			"subscription_key",
			"subscription-key",
			"schluessel"
		]
	},
	{
		kind: "api_key",
		whole: true,
		names: [
			"key",
			"api",
			"client_id",
			"clientid"
		]
	}
];
/** The same in letters beyond ASCII, which the table of keywords does not hold. Endings of a word may follow. */
var FOREIGN_NAMES = [
	{
		kind: "password",
		whole: false,
		names: [
			"парол",
			"密码",
			"密碼",
			"口令",
			"パスワード",
			"비밀번호",
			"암호",
			"كلمة المرور",
			"كلمة السر",
			"סיסמה",
			"סיסמא",
			"пассворд",
			"パスコード",
			"暗証番号",
			"合言葉",
			"비번",
			"패스워드",
			"mật mã",
			"hasła",
			"haseł",
			"slaptažod",
			"šifra",
			"contraseña",
			"contraseña",
			"hasło",
			"şifre",
			"lösenord",
			"jelszó",
			"κωδικός",
			"mật khẩu",
			"पासवर्ड",
			"รหัสผ่าน"
		]
	},
	{
		kind: "token",
		whole: false,
		names: [
			"токен",
			"令牌",
			"トークン",
			"토큰"
		]
	},
	{
		kind: "secret",
		whole: false,
		names: [
			"секрет",
			"приватный ключ",
			"密钥",
			"密鑰",
			"シークレット"
		]
	},
	{
		kind: "api_key",
		whole: false,
		names: [
			"ключ",
			"schlüssel",
			"clé ",
			"clé_",
			"キー",
			"키"
		]
	}
];
//#endregion
//#region src/features/redaction/foreign-names.ts
/** Letters, not the dashes, quotes and arrows that many texts have. */
var FOREIGN_LETTER = /[\u00c0-\u1fff\u3040-\ud7af]/;
var hasForeignLetters = (text) => FOREIGN_LETTER.test(text);
var isForeign = (code) => code >= 192 && code <= 8191 || code >= 12352 && code <= 55215;
var NAMES = new RegExp(`(?:${FOREIGN_NAMES.map(({ names }) => `(${names.join("|")})`).join("|")})(?:(?![A-Za-z])[\\p{L}\\p{M}]){0,12}(?:[ \\t](?![A-Za-z]{8})\\p{L}{1,20}(?=[ \\t:=])){0,3}`, "giu");
/** No name is longer before its first such letter, and none reads further behind its last one. */
var LONGEST_BEFORE$1 = 40;
var LONGEST_BEHIND = 120;
var NEXT_FOREIGN_LETTER = new RegExp(FOREIGN_LETTER, "g");
/** The parts of a text in which names may be: those around letters beyond ASCII. */
function* foreignParts(text) {
	for (let from = 0;;) {
		NEXT_FOREIGN_LETTER.lastIndex = from;
		const first = NEXT_FOREIGN_LETTER.exec(text)?.index;
		if (first === void 0) return;
		let to = first + LONGEST_BEHIND;
		for (let at = first + 1; at < Math.min(to, text.length); at += 1) if (isForeign(text.charCodeAt(at))) to = at + LONGEST_BEHIND;
		yield {
			from: Math.max(from, first - LONGEST_BEFORE$1),
			to
		};
		from = to;
	}
}
/** The names of secrets in letters beyond ASCII, and what kind each of them says. */
function* foreignNames(text) {
	for (const { from, to } of foreignParts(text)) for (const found of text.slice(from, to).matchAll(NAMES)) {
		const kind = FOREIGN_NAMES[found.slice(1).findIndex((name) => name !== void 0)]?.kind;
		const start = from + found.index;
		if (kind) yield {
			name: {
				start,
				end: start + found[0].length
			},
			kind
		};
	}
}
//#endregion
//#region src/features/redaction/harmless.ts
/** Values beside a name such as `key` or `secret` that are no secrets: the whole name or the form of the value says so. */
var REST_OF_NAME$1 = /[\w-]{0,40}/y;
/** `secretName`, `AUTH0_DOMAIN`, `token-type`: what is known about a secret, not the secret. */
var ABOUT = "names?|refs?|domain|host|hostname|arn|type|version|alg|algorithm|length|count|rate|ratio|through|ttl|expiry";
var ABOUT_IT = new RegExp(`(?:^|[_-])(?:${ABOUT})$`, "i");
var ABOUT_IT_IN_CAMEL_CASE = new RegExp(`(?:${ABOUT.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())})$`);
/** GnuPG receives keys by their fingerprints: `--recv-keys`. */
var PUBLIC = /(?:public[_ -]?|recv-)$/i;
/** `bypass`, `compass`, `second pass`: other words, and passes over something. Any other letters may name a service. */
var NO_PASSWORD = /(?<![a-z])(?:by|com|encom|sur|tres|over|under|(?:first|second|third|render|shader|shadow|depth|low|high|band)[_ -]?)$/i;
var PUBLIC_KEY = /public[_ -]?key[_ -]?$/i;
var OF_ACCESS = /access[_ -]?$/i;
var UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** `next-auth@5.0.0`, `arn:aws:kms:…`, the anchor `#in-a-page` of a link. */
var PACKAGE = /^@?[A-Za-z][\w./-]{0,100}@[~^]?v?\d{1,5}\.\d{1,5}(?:\.\d{1,5})?(?:-[a-z]{1,10}(?:\.\d{1,5}){0,2})?$/;
var RESOURCE_OR_ANCHOR = /^(?:arn:aws|#[a-z][a-z-]{0,100}$)/;
/** `ECC_NIST_P256`: the name of a constant, mostly letters. */
function isConstant(value) {
	if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return false;
	const words = value.split("_").filter((part) => /^[A-Z]{2,20}$/.test(part));
	return words.length >= 2 && words.join("").length > value.length / 2;
}
/** Capitals throughout are those of a licence key. */
var WORD$1 = /^[A-Z]?[a-z]{1,19}$/;
var NUMBER = /^(?:v?\d{1,8}|[a-z]{1,12}\d{1,3})$/;
var HASH = /^(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/;
/** `build-2024-05-01`, `node-modules-linux-<hash>`: words and numbers, and perhaps a hash behind two words. */
function isCacheKey(value) {
	const parts = value.split(/[-_./:]/);
	const hasHash = HASH.test(parts.at(-1) ?? "");
	const known = hasHash ? parts.slice(0, -1) : parts;
	const words = known.filter((part) => WORD$1.test(part) && !isUnpronounceable(part));
	return words.length >= (hasHash ? 2 : 1) && known.every((part) => words.includes(part) || NUMBER.test(part));
}
/** The key of a cache, a map or a table: `key`, `restore-keys` and `sort_key`, not `api_key`. */
var PLAIN_KEY = /(?:^|[^\w-]|(?:cache|restore|primary|foreign|partition|sort|group|row|object|routing)[_-]?)$/i;
var FOREIGN_KEY = /^(?:ключ|schlüssel|clé|キー|키)/;
/** The value beside this name is certainly no secret. */
function isHarmless(text, { start, end }, kind, value) {
	REST_OF_NAME$1.lastIndex = end;
	const rest = REST_OF_NAME$1.exec(text)?.[0] ?? "";
	if (ABOUT_IT.test(rest) || ABOUT_IT_IN_CAMEL_CASE.test(rest)) return true;
	const name = text.slice(start, end).toLowerCase();
	const before = text.slice(Math.max(0, start - 12), start);
	if (kind === "password") return name === "pass" && NO_PASSWORD.test(before) && !isUnpronounceable(value);
	if (PUBLIC_KEY.test(before) || name === "key" && PUBLIC.test(before)) return true;
	if (PACKAGE.test(value) || RESOURCE_OR_ANCHOR.test(value) || isConstant(value)) return true;
	if (kind !== "api_key") return false;
	if (/^(?:key|api)$/.test(name) && /^[_-]?ids?$/i.test(rest)) return !OF_ACCESS.test(before);
	if (UUID.test(value)) return /id$/i.test(name + rest);
	return (name === "key" || FOREIGN_KEY.test(name)) && /^s?$/i.test(rest) && PLAIN_KEY.test(before) && isCacheKey(value);
}
//#endregion
//#region src/features/redaction/headers.ts
var BEARER = /[ \t]{1,4}([A-Za-z0-9_.~+/=-]{16,4000})/y;
var BASIC = /[ \t]{1,4}([A-Za-z0-9+/_-]{12,500}={0,2})(?![A-Za-z0-9])/y;
/** Without dots and equals signs at the end. Not by a pattern, which would start again at each of thousands of dots. */
function withoutTail(value) {
	let end = value.length;
	while (end > 0 && (value[end - 1] === "." || value[end - 1] === "=")) end--;
	return value.slice(0, end);
}
/** `Bearer …`, `Token …` in a header or in prose: random enough, or it is a word. */
function bearerToken(text, wordEnd) {
	BEARER.lastIndex = wordEnd;
	const found = BEARER.exec(text);
	const value = found?.[1] && withoutTail(found[1]);
	if (!found || !value || isSampleToken(value) || isPlaceholder(value) || !looksRandom(value)) return void 0;
	const start = found.index + found[0].length - found[1].length;
	return {
		start,
		end: start + value.length,
		kind: "bearer_token",
		rank: RANK.named
	};
}
var OTHER_SCHEME = /["'\\]{0,3}[ \t]{0,3}[:=,][ \t]{0,3}["'\\]{0,3}(?!BASIC)[A-Za-z][A-Za-z-]{1,24}[ \t]{1,4}([A-Za-z0-9_.~+/=:-]{16,4000})/iy;
/** `Authorization: Token …`, whatever the scheme is called. */
function authorizationValue(text, wordEnd) {
	OTHER_SCHEME.lastIndex = wordEnd;
	const found = OTHER_SCHEME.exec(text);
	const value = found?.[1];
	if (!found || !value || isPlaceholder(value) || !looksRandom(value)) return void 0;
	const end = found.index + found[0].length;
	return {
		start: end - value.length,
		end,
		kind: "authorization",
		rank: RANK.assigned
	};
}
/** Without Buffer, because the web app uses the same rules in the browser. As UTF-8, or else byte by byte. */
function decodedBase64(value) {
	try {
		const bytes = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
		return asUtf8(bytes) ?? bytes;
	} catch {
		return "";
	}
}
function asUtf8(bytes) {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
	} catch {
		return;
	}
}
/** Neither part has a control character. Services that know keys alone take the key as the user. */
var USER_AND_PASSWORD = /^([^\p{Cc}:]+):([^\p{Cc}]*)$/u;
function isCredentials(decoded) {
	const [, user = "", password = ""] = USER_AND_PASSWORD.exec(decoded) ?? [];
	return password === "" ? isPlainlyRandom(user) && !isPlaceholder(user) : !isPlaceholder(password);
}
/** `Basic dXNlcjpwYXNz`: base64 of `user:password`. */
function basicCredentials(text, wordEnd) {
	BASIC.lastIndex = wordEnd;
	const found = BASIC.exec(text);
	const value = found?.[1];
	if (!found || !value) return void 0;
	if (!isCredentials(decodedBase64(value))) return void 0;
	const end = found.index + found[0].length;
	return {
		start: end - value.length,
		end,
		kind: "basic_credentials",
		rank: RANK.named
	};
}
/** `Cookie: `, `"Cookie": "`, `cookies={"`, `--cookie "`, also with escaped quotes. */
var COOKIE_LINK = /s?["'\\\]]{0,3}(?:[ \t]{0,2}[:=,(]|(?=[ \t]["']))[ \t]{0,2}[[{("'\\]{0,4}/y;
var COOKIE_PAIR = /[ \t]{0,4}([A-Za-z0-9_.$-]{1,80})(?:=|["']:[ \t]{0,2}['"])("?)([A-Za-z0-9%+/_.|~!*-]{0,4000}={0,2})\2/y;
/** Values of the cookies that carry a session, in a `Cookie` or `Set-Cookie` header, from the end of that word. */
function sessionCookies(text, wordEnd) {
	COOKIE_LINK.lastIndex = wordEnd;
	if (!COOKIE_LINK.test(text)) return [];
	const spans = [];
	let at = COOKIE_LINK.lastIndex;
	for (let pair = 0; pair < 40; pair += 1) {
		COOKIE_PAIR.lastIndex = at;
		const found = COOKIE_PAIR.exec(text);
		if (!found) break;
		at = COOKIE_PAIR.lastIndex;
		const [, name = "", quote = "", value = ""] = found;
		const end = at - quote.length;
		if (/sess|sid|auth|token|jwt|login|remember|csrf|xsrf|secret|key/i.test(name) && value.length >= 8 && !isPlaceholder(value)) spans.push({
			start: end - value.length,
			end,
			kind: "session_cookie",
			rank: RANK.named
		});
		if (text[at] !== ";") break;
		at += 1;
	}
	return spans;
}
//#endregion
//#region src/features/redaction/listed-keys.ts
var NEXT = /,([A-Za-z0-9_+/.~-]{16,400}={0,2})(?=[\s"'`;,)\]}\\<&]|$)/y;
/** Keys of one list mostly have one length; any other must be random beyond doubt. */
var isKey = (value, length) => !isPlaceholder(value) && (value.length === length ? looksRandom(value) : isPlainlyRandom(value));
/** Where the list ends that begins with the key before `end`: `APP_KEYS=…,…,…`. */
function endOfList(text, end, length) {
	let last = end;
	for (;;) {
		NEXT.lastIndex = last;
		const next = NEXT.exec(text)?.[1];
		if (next === void 0 || !isKey(next, length)) return last;
		last = NEXT.lastIndex;
	}
}
//#endregion
//#region src/features/redaction/manifests.ts
/** Kubernetes manifests of kind Secret, in YAML and JSON, alone and in lists. */
var YAML_KINDS = [
	"kind: secret",
	"kind: \"secret",
	"kind: 'secret"
];
var JSON_KINDS = [
	"\"kind\":\"secret\"",
	"\"kind\": \"secret\"",
	"\\\"kind\\\":\\\"secret\\\"",
	"'kind': 'secret'"
];
/** A manifest is read this far before and after its kind. */
var WINDOW$1 = 2e4;
var BASE64 = /^[A-Za-z0-9+/]{8,20000}={0,2}$/;
/** `data` holds base64 alone. `stringData` holds anything, also names of users and hosts. */
function isSecret(value, isEncoded) {
	if (BASE64.test(value)) return isEncoded || !isPlaceholder(value);
	return !isEncoded && value.length >= 6 && !isPlaceholder(value) && looksLikePassword(value);
}
var secretAt = (start, value) => ({
	start,
	end: start + value.length,
	kind: "kubernetes_secret",
	rank: RANK.named
});
var INDENT = /[ \t]{0,80}/y;
var DASHES = /[ \t]{0,80}(?:-[ \t]{1,8}){0,4}/y;
/** `column` is where its text begins, behind the dashes of a list. */
function lineAt$1(text, start, end) {
	const widthOf = (pattern) => {
		pattern.lastIndex = start;
		return pattern.test(text) ? pattern.lastIndex - start : 0;
	};
	return {
		start,
		end,
		indent: widthOf(INDENT),
		column: widthOf(DASHES)
	};
}
var isBlank = (text, { start, end }) => /^\s*$/.test(text.slice(start, Math.min(end, start + 100)));
var isDivider = (text, { start }) => text.startsWith("---", start);
function lineBelow(text, before) {
	if (before.end >= text.length) return void 0;
	const end = text.indexOf("\n", before.end + 1);
	return lineAt$1(text, before.end + 1, end === -1 ? text.length : end);
}
var lineAbove = (text, after) => after.start === 0 ? void 0 : lineAt$1(text, after.start < 2 ? 0 : text.lastIndexOf("\n", after.start - 2) + 1, after.start - 1);
/** The lines of the mapping that a line is in, from `notBefore` on. */
function mappingAround(text, kind, notBefore) {
	const above = [];
	for (let first = kind; first.indent === first.column || first.column !== kind.column;) {
		const next = lineAbove(text, first);
		if (!next || next.start < notBefore || kind.start - next.start > WINDOW$1 || isDivider(text, next)) break;
		if (!isBlank(text, next) && next.column < kind.column) break;
		above.push(next);
		first = next;
	}
	const below = [];
	for (let last = kind;;) {
		const next = lineBelow(text, last);
		if (!next || next.start - kind.start > WINDOW$1 || isDivider(text, next)) break;
		if (!isBlank(text, next) && next.indent < kind.column) break;
		below.push(next);
		last = next;
	}
	return [
		...above.reverse(),
		kind,
		...below
	];
}
var DATA = /^[ \t-]{0,80}(data|stringData):[ \t]{0,20}\r?$/;
var KEY = /^[ \t]{1,80}(?:["']?[\w./-]{1,200}["']?:[ \t]{1,8})?/;
/** The value in a line, without quotes and the comment after it. */
function valueIn(line) {
	const start = KEY.exec(line)?.[0].length ?? 0;
	const rest = line.slice(start).trimEnd();
	const quote = rest[0] === "\"" || rest[0] === "'" ? rest[0] : void 0;
	if (quote) return {
		start: start + 1,
		value: rest.slice(1, Math.max(1, rest.indexOf(quote, 1)))
	};
	const comment = rest.indexOf(" #");
	return {
		start,
		value: (comment === -1 ? rest : rest.slice(0, comment)).trimEnd()
	};
}
function secretsInYaml(text, kindEnd, notBefore) {
	if (/[A-Za-z]/.test(text[kindEnd] ?? "")) return {
		spans: [],
		readUntil: kindEnd
	};
	const lineEnd = text.indexOf("\n", kindEnd);
	const kind = lineAt$1(text, text.lastIndexOf("\n", kindEnd - 1) + 1, lineEnd === -1 ? text.length : lineEnd);
	const spans = [];
	const lines = mappingAround(text, kind, notBefore);
	let under;
	for (const line of lines) {
		const written = text.slice(line.start, line.end);
		if (line.column === kind.column) under = DATA.exec(written)?.[1];
		else if (under) {
			const { start, value } = valueIn(written);
			if (isSecret(value, under === "data")) spans.push(secretAt(line.start + start, value));
		}
	}
	return {
		spans,
		readUntil: lines.at(-1)?.end ?? kindEnd
	};
}
/** Where the object around a place begins or ends: -1 if not within the window. */
function braceBefore(text, at, notBefore) {
	let depth = 0;
	for (let i = at; i >= Math.max(notBefore, at - WINDOW$1); i -= 1) if (text[i] === "}") depth += 1;
	else if (text[i] === "{" && depth-- === 0) return i;
	return -1;
}
function braceAfter(text, at) {
	let depth = 0;
	for (let i = at; i < Math.min(text.length, at + WINDOW$1); i += 1) if (text[i] === "{") depth += 1;
	else if (text[i] === "}" && depth-- === 0) return i;
	return Math.min(text.length, at + WINDOW$1);
}
/** Also in the copy of a manifest that an annotation keeps, with escaped quotes. */
var OBJECT = /(\\{0,3}["'])(data|stringData)\1\s{0,8}:\s{0,8}\{/g;
var PAIR$1 = /[\s,]{0,200}(\\{0,3}["'])[\w./ -]{1,200}\1\s{0,8}:\s{0,8}\1([^"'\\\n]{0,20000})\1/y;
function secretsInJson(text, kindEnd, notBefore) {
	const from = braceBefore(text, kindEnd, notBefore);
	const readUntil = braceAfter(text, kindEnd);
	if (from === -1) return {
		spans: [],
		readUntil
	};
	const spans = [];
	for (const found of text.slice(from, readUntil).matchAll(OBJECT)) {
		PAIR$1.lastIndex = from + found.index + found[0].length;
		for (let pair = PAIR$1.exec(text); pair !== null; pair = PAIR$1.exec(text)) {
			const [whole, quote = "", value = ""] = pair;
			if (isSecret(value, found[2] === "data")) spans.push(secretAt(pair.index + whole.length - quote.length - value.length, value));
		}
	}
	return {
		spans,
		readUntil
	};
}
//#endregion
//#region src/features/redaction/name-runs.ts
/** What names of secrets are written with. */
var IN_NAME = /* @__PURE__ */ new Uint8Array(128);
for (const character of ".-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") IN_NAME[character.charCodeAt(0)] = 1;
var isInName$1 = (text, at) => IN_NAME[text.charCodeAt(at)] === 1;
/** The patterns for a value look no further than this: back for the quote that opens its name, on for what ends it. */
var LOOKED_BACK = 40;
var LOOKED_ON = 25;
/**
* Finds names that stand deep inside letters: nothing near them could be a value. The letters are read once for all names
* among them, because a paste of millions of names side by side kept the server busy for half a minute.
*/
var NameRuns = class {
	#text;
	#start = 0;
	#end = 0;
	constructor(text) {
		this.#text = text;
	}
	isDeepInside({ start, end }) {
		if (start < this.#start || end > this.#end) this.#moveTo(start, end);
		return start - LOOKED_BACK >= this.#start && end + LOOKED_ON <= this.#end;
	}
	#moveTo(start, end) {
		let first = start;
		while (first > Math.max(0, start - LOOKED_BACK) && isInName$1(this.#text, first - 1)) first -= 1;
		let last = end;
		while (last < this.#text.length && isInName$1(this.#text, last)) last += 1;
		this.#start = first;
		this.#end = last;
	}
};
//#endregion
//#region src/features/redaction/names-and-values.ts
/**
* A value near a name that says "secret", whatever stands between them: quotes, markup, brackets, columns, lines, words.
* The weaker the link, the surer the value must be. `assignments.ts` reads the common notations more exactly, before this.
*/
var LONGEST_WINDOW = 220;
/** Of many names side by side only the first ones are tried. */
var WINDOW_OF_TRIES = 400;
var MOST_TRIES = 12;
var MOST_CANDIDATES = 3;
var LEAST_VALUE = 8;
var LONGEST_VALUE = 400;
/** Reads a text from name to name. */
var Neighbours = class {
	#text;
	#candidates;
	#from = -400;
	#tries = 0;
	constructor(text, candidates) {
		this.#text = text;
		this.#candidates = candidates;
	}
	/** The value of a name: behind it, or before it. */
	secretOf(name, kind) {
		const text = this.#text;
		if (text[name.end] === "/") return void 0;
		const before = speaksBack(name, kind) ? this.#candidates.within(name.start - LONGEST_BEFORE, name.start) : NONE$1;
		const isKeyed = isKeyOfPair(text, name);
		const behind = this.#candidates.within(name.end, name.end + LONGEST_WINDOW);
		const hasOwn = mayHoldValue(text.charCodeAt(name.end));
		if (behind.length === 0 && before.length === 0 && !isKeyed && !hasOwn || !this.#isTried(name)) return void 0;
		return valueBehind(text, name, kind, behind) ?? (isKeyed ? valueOfPair(text, name, kind) : void 0) ?? (before.length > 0 ? valueInSentence(text, name, kind) : void 0);
	}
	/** `… to log in`: the value before a name that says so with the words before it alone. */
	secretBefore(name) {
		return this.#candidates.within(name.start - LONGEST_BEFORE, name.start).length > 0 && this.#isTried(name) ? valueInSentence(this.#text, name, "password") : void 0;
	}
	#isTried(name) {
		if (!isWord(this.#text, name)) return false;
		OTHER_WORD.lastIndex = name.start;
		if (OTHER_WORD.test(this.#text)) return false;
		if (Math.abs(name.start - this.#from) >= WINDOW_OF_TRIES) {
			this.#from = name.start;
			this.#tries = 0;
		}
		this.#tries += 1;
		return this.#tries <= MOST_TRIES;
	}
};
/** What stands before a short name such as `key` hardly ever belongs to it. */
var speaksBack = ({ start, end }, kind) => kind === "password" || end - start > 4;
var mayHoldValue = (code) => !isHard(code) && code !== 47 && code !== 40 && code !== 44 && code !== 41;
/** Does a colon or an equals sign stand before the name: `name: DB_PASSWORD`? */
function isKeyOfPair(text, { start }) {
	let at = start - 1;
	const least = start - 40;
	while (at > least && isInName(text.charCodeAt(at))) at -= 1;
	while (at > least && (text[at] === " " || text[at] === "\"" || text[at] === "'")) at -= 1;
	const sign = text[at];
	return sign === ":" || sign === "=" || sign === ">";
}
var isInName = (code) => isLetter(code) || isDigit(code) || code === 95 || code === 45 || code === 46;
var NONE$1 = [];
var LONGEST_RUN = 500;
/** So many letters in a row may be a secret without a digit. */
var LEAST_LETTERS = 12;
/** What `certaintyOf` asks of a value without the signs of a password. */
var LEAST_BITS = 3;
var SIGNS_OF_PASSWORD = new Set(Array.from("!@#$%^&*?~+", (sign) => sign.charCodeAt(0)));
var isSignOfPassword = (code) => SIGNS_OF_PASSWORD.has(code);
/** What looks like a secret by itself, in the order of the text. Each stretch is read once, when a name is near it. */
var Candidates = class {
	#text;
	#found = [];
	#readTo = 0;
	#last = 0;
	constructor(text) {
		this.#text = text;
	}
	/** Those that begin between two places. */
	within(from, to) {
		this.#read(Math.max(0, from), to);
		const found = this.#found;
		if (found.length === 0) return NONE$1;
		let at = Math.min(this.#last, found.length - 1);
		while (at > 0 && found[at].start >= from) at -= 1;
		while (at < found.length && found[at].start < from) at += 1;
		this.#last = at;
		let end = at;
		while (end < found.length && found[end].start < to) end += 1;
		return end === at ? NONE$1 : found.slice(at, end);
	}
	#read(from, to) {
		const text = this.#text;
		const limit = Math.min(text.length, to);
		if (limit <= this.#readTo) return;
		let at = Math.max(this.#readTo, from);
		const least = Math.max(this.#readTo, from - LONGEST_RUN);
		while (at > least && !isHard(text.charCodeAt(at - 1))) at -= 1;
		while (at < limit) {
			while (at < limit && isHard(text.charCodeAt(at))) at += 1;
			at = this.#readRun(at);
		}
		this.#readTo = at;
	}
	/** Returns where the run ends. */
	#readRun(start) {
		const text = this.#text;
		let at = start;
		let digits = 0;
		let letters = 0;
		let most = 0;
		let all = 0;
		let hasSign = false;
		for (; at < text.length; at += 1) {
			const code = text.charCodeAt(at);
			if (isHard(code)) break;
			if (isLetter(code)) {
				letters += 1;
				all += 1;
				if (letters > most) most = letters;
			} else {
				letters = 0;
				if (isDigit(code)) digits += 1;
				else if (isSignOfPassword(code)) hasSign = true;
			}
		}
		const length = at - start;
		if (length >= LEAST_VALUE && length <= LONGEST_RUN && (digits > 0 ? all > 2 : most >= LEAST_LETTERS) && (digits > 0 && hasSign || mostRandomBits(text, start, at) >= LEAST_BITS)) for (const candidate of candidatesOf(text, {
			start,
			end: at
		})) this.#found.push(candidate);
		return at;
	}
};
/** Short names inside a longer word are a part of it by chance. */
var LEAST_INNER_NAME = 5;
var OTHER_WORD = /secret(?:e[ds]?\b|ing|ion|ary|ari|ory|agog|ly)/iy;
var INNER_NAME = /^(?:pass|pwd)$/i;
function isWord(text, { start, end }) {
	const [before, first] = [text.charCodeAt(start - 1), text.charCodeAt(start)];
	if (end - start >= LEAST_INNER_NAME || !(isLetter(before) || isDigit(before))) return true;
	const after = text.charCodeAt(end);
	if (first < 97 && before >= 97) return !(isLetter(after) || isDigit(after));
	return INNER_NAME.test(text.slice(start, end)) && !isDigit(before);
}
var spanOf$1 = ({ start, end }, kind) => ({
	start,
	end,
	kind,
	rank: RANK.assigned
});
/** What ends a value wherever it stands. */
var HARD = /* @__PURE__ */ new Uint8Array(128);
for (let code = 0; code <= 32; code += 1) HARD[code] = 1;
for (const sign of "\"'`<>\\|") HARD[sign.charCodeAt(0)] = 1;
var isHard = (code) => code > 126 || HARD[code] === 1;
/** A line end or a quote as a string of a program has it. */
var ESCAPE = /u00[0-9a-fA-F]{2}|[nrt](?![a-z])/y;
function afterEscape(text, at) {
	ESCAPE.lastIndex = at;
	return ESCAPE.test(text) ? ESCAPE.lastIndex : at;
}
var OPENERS = "([{,;:=>~*";
var CLOSERS = ")]},;:.*";
var OPENED_BY = {
	")": "(",
	"]": "[",
	"}": "{"
};
/** Without the brackets, emphasis and punctuation around it, which may belong to the sentence. */
function trimmed(text, start, end) {
	let [from, to] = [start, end];
	while (from + 2 < to && (text.startsWith("...", from) || from > start && text[from] === ".")) from += 1;
	while (from < to && OPENERS.includes(text[from])) from += 1;
	while (to > from && CLOSERS.includes(text[to - 1])) {
		const sign = text[to - 1];
		if (sign === "*" && text[to - 2] !== "*" && text[start] !== "*") break;
		const opener = OPENED_BY[sign];
		if (opener && text.slice(from, to).includes(opener)) break;
		to -= 1;
	}
	return {
		start: from,
		end: to
	};
}
/** `name=`, `--name:`, `anna/`: what may stand before the value in one run. */
var BEFORE_VALUE = /^(?:!\[CDATA\[|-{0,2}[A-Za-z_$][\w.$-]{0,60}(?:\[\])?(?::=|=>|[:=]|->)|[a-z]{2,20}[/%]|[a-z]{2,10}\{|[A-Za-z][\w.]{0,30}@[\w.]{1,40}:)(?=.)/;
var NEXT_PIECE = /[,;)(&]|\]\s*[:=]/;
var LETTER_BEYOND_ASCII = /[\u00c0-\u024f\u0370-\u04ff]/;
/** A part of a word of another language, a name that is called, or what is left of a value. */
function isInside(text, start, end) {
	const [before = "", after = ""] = [text[start - 1], text[end]];
	return LETTER_BEYOND_ASCII.test(before) || LETTER_BEYOND_ASCII.test(after) || after === "(" || after === "…" || text.startsWith("...", end);
}
/** `--from-literal=password=`: without the names before the value. */
function behindNames(text, start, end) {
	let inner = {
		start,
		end
	};
	for (let names = 0; names < 3; names += 1) {
		const before = BEFORE_VALUE.exec(text.slice(inner.start, inner.end))?.[0];
		if (before === void 0) break;
		inner = trimmed(text, inner.start + before.length, inner.end);
	}
	return inner;
}
/** The candidates of a run: whole, behind a name and a sign, and in pieces. */
function candidatesOf(text, run) {
	const found = [];
	const add = (start, end, isPaired) => {
		if (end - start < LEAST_VALUE || end - start > LONGEST_VALUE) return;
		const certainty = isInside(text, start, end) ? 0 : certaintyOf(text.slice(start, end));
		if (certainty > 0) found.push({
			start,
			end,
			certainty,
			isPaired
		});
	};
	const { start, end } = trimmed(text, text[run.start - 1] === "\\" ? afterEscape(text, run.start) : run.start, run.end);
	if (end - start < LEAST_VALUE) return found;
	const whole = text.slice(start, end);
	if (KNOWN_FORM.test(whole)) return found;
	const inner = behindNames(text, start, end);
	if (inner.start !== start) {
		add(inner.start, inner.end, true);
		if (found.length > 0) return found;
	}
	if (NEXT_PIECE.test(whole)) {
		let from = start;
		for (let at = start; at <= end; at += 1) {
			if (at < end && !",;)(&][".includes(text[at])) continue;
			const piece = trimmed(text, from, at);
			const inner = BEFORE_VALUE.exec(text.slice(piece.start, piece.end))?.[0].length ?? 0;
			add(piece.start + inner, piece.end, inner > 0);
			from = at + 1;
		}
		if (found.length > 0) return found.slice(0, 1);
	}
	add(start, end, false);
	return found;
}
/** The rest of a name: `passwords`, `PASSWORD_PROD`, the endings of other languages. */
var REST_OF_NAME = /(?:[\w-]|(?![\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])[\p{L}\p{M}]){0,30}/uy;
function valueBehind(text, name, kind, candidates) {
	const from = endOfName(text, name);
	const own = ownRun(text, from);
	let known;
	const line = () => {
		known ??= lineOf(text, name);
		return known;
	};
	let tried = 0;
	for (const candidate of own.length > 0 ? [...own, ...candidates] : candidates) {
		if (candidate.start < from) continue;
		if (candidate.certainty >= neededFor(text, from, candidate, kind, line)) return spanOf$1(candidate, kind);
		tried += 1;
		if (tried >= MOST_CANDIDATES) return void 0;
	}
}
/** The rest of the run that the name stands in: `?api_key=…&a=1`, `+DB_PASSWORD=…`. */
function ownRun(text, from) {
	if (!mayHoldValue(text.charCodeAt(from))) return NONE$1;
	let end = from;
	while (end < from + LONGEST_RUN && end < text.length && !isHard(text.charCodeAt(end))) end += 1;
	return end - from > LEAST_VALUE ? candidatesOf(text, {
		start: from,
		end
	}) : NONE$1;
}
/** In scripts without blanks the value may follow the name at once. */
function endOfName(text, { end }) {
	if (text.charCodeAt(end - 1) > 11904) return end;
	REST_OF_NAME.lastIndex = end;
	REST_OF_NAME.exec(text);
	return Math.max(end, REST_OF_NAME.lastIndex);
}
var LONGEST_LINE = 300;
var COMMAND_LINE = /^\s{0,8}(?:[\w@:~./()-]{0,40}[$%#❯]|[\w@:~./()-]{0,40}\w>|>>>|PS [^>\n]{0,60}>)\s{1,4}\w/;
var HEADING_LINE = /^\s{0,8}(?:#{1,6}\s|[*_]{1,3}\S|=+\s)/;
function lineOf(text, { start }) {
	const from = Math.max(0, start - LONGEST_LINE);
	const near = text.slice(from, start + 1);
	const at = near.lastIndexOf("\n", start - from - 1);
	const before = at === -1 && from > 0 ? "" : near.slice(at + 1);
	return {
		isCommand: COMMAND_LINE.test(before),
		isHeading: HEADING_LINE.test(before),
		isStart: /^\s{0,12}[\w-]{0,20}\S$/.test(before)
	};
}
var NEVER = 9;
var TAGS = /<\/?[A-Za-z][^<>\n]{0,160}>/g;
/** Words in the gap that say what the value is instead. */
var DIGEST = /hash|digest|\bsha-?\d|md5|checksum|fingerprint/i;
var OTHER_THING = /hash|digest|\bsha-?\d|md5|commit|checksum|fingerprint|uuid|version|integrity|thumbprint|signature|bcrypt|argon|public|\bids?\b|\burl|address|\bname\b(?!["']?\s{0,3}[,:])|revision|build|model|https?:/i;
/** How sure a value must be, after what stands between it and its name. */
function neededFor(text, from, candidate, kind, line) {
	const gap = text.slice(from, candidate.start);
	const shape = shapeOf(gap);
	const strength = NESTED$1.test(shape) ? MEDIUM : strengthOf(shape, gap, text, candidate, line);
	if (strength === 0) return NEVER;
	if (strength < STRONG && (gap.includes("\n") && line().isCommand ? DIGEST : OTHER_THING).test(gap.replace(TAGS, " "))) return NEVER;
	const isPassword = kind === "password";
	if (NESTED$1.test(shape)) return isPassword || kind === "secret" ? 2 : NEVER;
	if (strength === STRONG) return kind === "api_key" ? 2 : 1;
	if (strength === MEDIUM) return 2;
	return isPassword ? 3 : NEVER;
}
var WEAK = 1;
var MEDIUM = 2;
var STRONG = 3;
/** What may stand in a gap, and the letter for it. Blanks, quotes, emphasis and comments leave none. */
var GAP_TOKENS = [
	["<", "<!\\[CDATA\\[|</?[A-Za-z!][^<>\\n]{0,160}>|/?>(?![ =-])|&nbsp;|\\\\[a-z]{2,10}\\{"],
	["", "(?<=\\n[ \\t]{0,40})(?:#|//|--)[ \\t][^\\n]{0,120}|/\\*[^\\n]{0,80}\\*/"],
	["(", "\\([^()\\n\"']{0,60}\\)|\\[[^\\[\\]\\n]{0,40}\\]"],
	["f", "```\\w{0,12}|~~~\\w{0,12}"],
	["n", "\\r?\\n[ \\t]{0,80}|(?:\\\\[rn]){1,2}(?![a-z])"],
	["t", "\\t| {2,}|\\.{3,}|_{3,}"],
	[":", ":{1,2}=?|={1,3}>?|-{1,2}>|~>|<-|[→⇒➜➔›»：＝↓│|]|[—–]|(?<= )-(?= )|>(?=[ -])|\\?\\?|\\|\\|"],
	["", "\\\\u00[0-9a-fA-F]{2}|[\\s\"'`*_~‘’‚‛“”„‟‹«「」『』【】\\\\-]"],
	["v", "(?:[A-Za-z_]{0,20}(?:[vV]alue|VALUE)|val|data|text|content|default|secretString|SecretString|wert|valeur|valor)(?![\\w])"],
	["=", "(?:[Ii]s|was|are|be|been|to|from|auf|op|på|c[\\u2019\\u0027]est|equals|ist|war|lautet|lauten|est|était|es|era|é|è|jest|je|это|är|er|on|adalah|olarak|now|is:|以下)(?![\\p{L}\\d])|[\\u3040-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7af]{1,10}"],
	[".", "[.!?](?=\\s)|[?？。]"],
	[",", "[,;]"],
	["[", "[\\[({<]"],
	["c", "[\\]}]"],
	["z", "\\)"],
	["w", "[\\p{L}\\p{M}\\d][\\p{L}\\p{M}\\w.@/'’:-]{0,60}"],
	["x", "."]
];
var GAP_TOKEN = new RegExp(GAP_TOKENS.map(([, pattern]) => `(${pattern})`).join("|"), "uy");
/** No pattern below has more. */
var LONGEST_SHAPE = 42;
/** A gap as a letter for each thing in it. */
function shapeOf(gap) {
	let shape = "";
	GAP_TOKEN.lastIndex = 0;
	for (let found = GAP_TOKEN.exec(gap); found !== null; found = GAP_TOKEN.exec(gap)) {
		let group = 1;
		while (found[group] === void 0) group += 1;
		const letter = GAP_TOKENS[group - 1]?.[0] ?? "";
		shape += letter;
		if (letter === "w" && found[0].endsWith(":")) shape += ":";
		if (shape.length > LONGEST_SHAPE) break;
	}
	return shape;
}
/** `password (root): `, `"password" => `, a label and tags. */
var ASSIGNED = /^(?:[(t<]|w){0,5}[c<(t]{0,3}:(?:[w(<[c]{1,4}\.?:)?[:<(tc]{0,4}$/;
/** `password for the staging database: ` */
var ASSIGNED_LATER = /^[w(=x]{0,9}[<]{0,2}:[:<(t]{0,3}$/;
/** `": "API_KEY", "enabled": true, "value": "` */
var BESIDE_VALUE = /^[(<]{0,3}[,n<x:]{0,4}(?:[(x]?[w=(]{1,2}[<x]{0,2}:?[w=(]{0,3}[,n<x]{1,4}){0,2}[x[(]{0,2}[w]?v[x<(]{0,2}[:,=]?[:<tn(]{0,4}$/;
/** `password is`, `password for the server ist` */
var SAID = /^[w(]{0,7}=[w=]{0,3}[:<t[]{0,3}$|^[w=]{0,6}\.$/;
/** Columns, tags, a comma, nothing at all. */
var BESIDE = /^[(]{0,2}\[{0,3}$|^[(w]{0,3}[<t,(]{1,4}\[?$/;
/** `").type("`, `= []byte("`, `{ return "` */
/** `user, password = "anna", "`, `"Password", with: "`, `(auth "anna" "`, and the attributes of a tag. */
var IN_QUOTES = /^[w,]{0,4}:w,$|^,w:$/;
var AFTER_QUOTED = /^\s{1,4}["'][^"'\s]{1,60}["']\s{1,4}["']$/;
var ATTRIBUTES = /^(?:w:w){1,3}<{1,2}$/;
/** A user in the line between. */
var BELOW_USER = /^nwn$/;
var CALLED = /^[:(txz]{0,4}[w(]{0,2}[x]{0,2}[w]{0,2}\[$|^[w]{0,1}:[(:w=x]{0,3}\[{0,2}$|^:\[{1,2}w?$/;
/** `"password": {"plain": "` */
var NESTED$1 = /^:\[{1,2}(?:w:w,){0,2}w:$/;
/** On the next line, with or without a colon, in a fence. */
var BELOW = /^[(w=]{0,8}[<]{0,2}[:t.]{0,3}[<]{0,2}n[nft<:x=]{0,6}$/;
var DIRECTLY_BELOW = /^[(]?[<]{0,2}[:t.]{0,3}[<]{0,2}n[nft<:x=]{0,6}$/;
/** An answer: perhaps with the time and the name of who says it. */
var ANSWERED = /^[w(=]{0,8}[.][:]?n[n]?[(]?w?[:]?$/;
/** A command, and its output in the next line. */
var PRINTED = /^[^nf]{0,40}n$/;
var IN_SENTENCE = /^[w=,(]{1,9}[[<]?$/;
var ALONE = /["'`*_~”»」)\]}]{0,6}(?:<\/?\w[^<>\n]{0,60}>){0,3}\\{0,2}[ \t]{0,20}(?=\r?\n|$)/y;
function strengthOf(shape, gap, text, candidate, line) {
	if (shape.includes("n")) {
		if (BESIDE_VALUE.test(shape)) return STRONG;
		ALONE.lastIndex = candidate.end;
		if (!ALONE.test(text)) return shape.endsWith("<") && /^[(:]?[<n]{1,8}$/.test(shape) ? MEDIUM : 0;
		if (DIRECTLY_BELOW.test(shape)) return STRONG;
		if (BELOW.test(shape)) return shape.includes(":") || shape.includes("f") || line().isHeading ? STRONG : MEDIUM;
		if (ANSWERED.test(shape) || BELOW_USER.test(shape)) return MEDIUM;
		return line().isCommand && PRINTED.test(shape) ? MEDIUM : 0;
	}
	if (ASSIGNED.test(shape) || candidate.isPaired && shape === "" && !/\s/.test(gap)) return STRONG;
	if (BESIDE_VALUE.test(shape)) return STRONG;
	if (ASSIGNED_LATER.test(shape)) return MEDIUM;
	if (SAID.test(shape) || BESIDE.test(shape)) return MEDIUM;
	if (CALLED.test(shape) || ATTRIBUTES.test(shape) || AFTER_QUOTED.test(gap)) return MEDIUM;
	if (IN_QUOTES.test(shape) && /["'`]$/.test(gap)) return MEDIUM;
	if (!IN_SENTENCE.test(shape)) return 0;
	return isDirective(gap, text, candidate, line) ? MEDIUM : WEAK;
}
/** `AUTH app …`, `password 0 …`: a line of a configuration, which ends with the value. */
function isDirective(gap, text, { end }, line) {
	const words = gap.trim().split(/\s+/);
	if (words.length > 2 || !/^\s/.test(gap)) return false;
	if (!line().isStart && words.some((word) => !/^\d{1,2}$/.test(word))) return false;
	ALONE.lastIndex = end;
	return ALONE.test(text);
}
var LONGEST_BEFORE = 100;
var LINKING = /^(?:as|into|in|to|is|was|for|als|ist|war|come|como|comme|est|es|era|é|è|jako|som|är|er|jest|je|how|—|–|-|=|это|как|\()$/i;
/** A comment at the end of a line, or an arrow back. */
var REMARKING = /^(?:#|\/\/|--|\/\*|←|<-|<=|⇐|⬅️?)$/;
var NAME_KEY = /(?:^|[\s"'{,<([])(?:[A-Za-z_]{0,20}?(?:name|key)|id|label|field|k)["']?\s{0,3}(?:[:=>]|:=|=>)\s{0,3}["']?[\w.-]{0,40}$/i;
var VALUE_KEY = /(?<![A-Za-z])(?:[A-Za-z_]{0,20}value|val|v)["']?\s{0,3}(?:[:=>]|:=|=>)\s{0,3}["']?([^\s"'`<>,]{8,200})/i;
var LONGEST_PAIR = 260;
/** `value: …` before `name: DB_PASSWORD`. */
function valueOfPair(text, name, kind) {
	if (!NAME_KEY.test(text.slice(Math.max(0, name.start - 60), name.start))) return void 0;
	const from = Math.max(0, name.start - LONGEST_PAIR);
	const found = lastValueKey(text.slice(from, name.start));
	if (!found) return void 0;
	const { start, end } = trimmed(text, from + found.start, from + found.end);
	return certaintyOf(text.slice(start, end)) >= 2 ? spanOf$1({
		start,
		end,
		certainty: 2
	}, kind) : void 0;
}
/** The last value before a name, if no other name stands between them. */
function lastValueKey(before) {
	const at = Math.max(before.lastIndexOf("alue"), before.lastIndexOf("ALUE"), before.lastIndexOf("val\""));
	if (at === -1) return void 0;
	const from = Math.max(0, at - 24);
	const part = before.slice(from);
	const found = VALUE_KEY.exec(part);
	const value = found?.[1];
	if (!found || value === void 0) return void 0;
	const end = from + found.index + found[0].length;
	if (/\n\s*\n|\}\s*,?\s*\{|\n\s*- /.test(before.slice(end).replace(/\s{0,20}$/, ""))) return void 0;
	return {
		start: end - value.length,
		end
	};
}
/** `… is the new root password`, `use … as password`. */
function valueInSentence(text, { start }, kind) {
	const from = Math.max(0, start - LONGEST_BEFORE);
	let at = start;
	while (at > from && !isHard(text.charCodeAt(at - 1))) at -= 1;
	if (start - at > 20) return void 0;
	let isLinked = text[at] === "(";
	let isRemarked = false;
	for (let words = 0; words < (isRemarked ? 12 : 5); words += 1) {
		let end = at;
		while (end > from && text[end - 1] !== "\n" && isHard(text.charCodeAt(end - 1))) end -= 1;
		if (/[←⬅]/.test(text.slice(end, at))) isRemarked = true;
		if (end === from || text[end - 1] === "\n") return void 0;
		at = end;
		while (at > from && !isHard(text.charCodeAt(at - 1))) at -= 1;
		const word = text.slice(at, end);
		if (REMARKING.test(word) && kind === "password") isRemarked = true;
		if (LINKING.test(word) || word.startsWith("(") || isRemarked) isLinked = true;
		if (LINKING.test(word) || REMARKING.test(word) || word.startsWith("(")) continue;
		if (isRemarked) {
			const found = candidatesOf(text, {
				start: at,
				end
			}).find(({ certainty }) => certainty >= 2);
			if (found) return spanOf$1(found, kind);
			continue;
		}
		if (isLinked && end - at >= LEAST_VALUE) {
			const value = trimmed(text, at, end);
			const needed = kind === "password" ? 2 : 3;
			if (certaintyOf(text.slice(value.start, value.end)) >= needed) return spanOf$1({
				...value,
				certainty: needed
			}, kind);
		}
		if (/[.:;,!?]$/.test(word) || isLinked && !isLetter(word.charCodeAt(0)) && !isDigit(word.charCodeAt(0))) return void 0;
	}
}
var READERS = [
	{
		keyword: "sudo ",
		rest: /(?:-[A-Za-z]{1,6}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)(?![\w-])/y
	},
	{
		keyword: "chpasswd",
		isAfterName: true
	},
	{ keyword: "--password-stdin" },
	{ keyword: "passwd --stdin" },
	{ keyword: "--passphrase-fd 0" }
];
var LONGEST_COMMAND = 300;
var ECHOED = /(?:^|[\s;&(`])(?:echo|printf)[ \t]{1,4}(?:-[A-Za-z]{1,3}[ \t]{1,4}){0,2}(?:["']?%s(?:\\n)?["']?[ \t]{1,4})?(?:"([^"]{4,200})"|'([^']{4,200})'|([^\s"'|]{4,200}))[ \t]{0,4}$/;
var GIVEN = /[ \t]{0,4}(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|([^\s"'`;|&<>()]{4,200}))/y;
/** The command line before a place, without former lines. */
function lineBefore(text, at) {
	const from = Math.max(0, at - LONGEST_COMMAND);
	const line = text.slice(from, at);
	const cut = line.lastIndexOf("\n") + 1;
	return {
		line: line.slice(cut),
		start: from + cut
	};
}
var groupOf = (found) => found?.slice(1).find((group) => group !== void 0);
/** `root:…`: the name before the password stays. */
function spanOf(start, given, isAfterName) {
	const from = isAfterName ? given.indexOf(":") + 1 : 0;
	const password = given.slice(from);
	if (isAfterName && from === 0 || password.length < 4 || isPlaceholder(password)) return void 0;
	return {
		start: start + from,
		end: start + given.length,
		kind: "password",
		rank: RANK.assigned
	};
}
/** From the end of a command that reads a password: what was echoed into it. */
function pipedPassword(text, end, reader) {
	if (reader.rest) {
		reader.rest.lastIndex = end;
		if (!reader.rest.test(text)) return void 0;
	}
	const { line, start } = lineBefore(text, end - reader.keyword.length);
	const bar = line.lastIndexOf("|");
	if (bar === -1) return void 0;
	const found = ECHOED.exec(line.slice(0, bar));
	const given = groupOf(found);
	if (!found || given === void 0) return void 0;
	return spanOf(start + found.index + found[0].lastIndexOf(given), given, reader.isAfterName === true);
}
var READS_PASSWORD = /sudo[ \t]{1,4}(?:-[\w-]{1,10}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)\b|chpasswd|--password-stdin|passwd --stdin/;
/** From the end of `<<<`: what a command is given as its input. */
function hereString(text, end) {
	const command = READS_PASSWORD.exec(lineBefore(text, end).line)?.[0];
	if (command === void 0) return void 0;
	GIVEN.lastIndex = end;
	const found = GIVEN.exec(text);
	const given = groupOf(found);
	if (!found || given === void 0) return void 0;
	return spanOf(end + found[0].lastIndexOf(given), given, command === "chpasswd");
}
//#endregion
//#region src/features/redaction/positions.ts
/** Secrets that no name stands beside: their place says what they are, in a call, in a pair of user and password, in a code. */
/** Calls that are given a user and a password. */
var CALLS = [
	"credential",
	"creds",
	"login",
	"log_in",
	"logon",
	"signin",
	"sign_in",
	"connect",
	"getconnection",
	"auth",
	"authenticate",
	"pdo",
	"createuser",
	"create_user",
	"adduser",
	"add_user",
	"account",
	"smtp",
	"imap",
	"ldap",
	"bind",
	"wifi",
	"ftp",
	"ssh",
	"basic",
	"verify",
	"register",
	"jdbc",
	"mqtt",
	"amqp",
	"redis",
	"mongo",
	"winrm",
	"client(",
	"mail",
	"open(",
	"user("
];
/** The rest of the name, and perhaps a sign before a list: `auth=(`, `credentials: [`, `connect_db(`. */
var OPENED = /(?:[\w.]|::|<\w{1,30}>){0,40}["'`]?[ \t]{0,3}(?:[=:]{1,2}>?[ \t]{0,3}(?:new[ \t])?[\w.]{0,30})?[([{]/y;
var STRING = /"((?:[^"\\\n]|\\[^\n]){0,400})"|'((?:[^'\\\n]|\\[^\n]){0,400})'|`([^`\\\n]{0,400})`/y;
var LONGEST_CALL = 400;
var MOST_CALLS = 4;
/** Reads calls from name to name. Of many within a few lines only the first ones are read. */
var Calls = class {
	#text;
	#from = -400;
	#tries = 0;
	constructor(text) {
		this.#text = text;
	}
	secretOf(nameEnd) {
		OPENED.lastIndex = this.#text[nameEnd - 1] === "(" ? nameEnd - 1 : nameEnd;
		if (!OPENED.test(this.#text)) return void 0;
		if (nameEnd - this.#from >= LONGEST_CALL) {
			this.#from = nameEnd;
			this.#tries = 0;
		}
		this.#tries += 1;
		return this.#tries > MOST_CALLS ? void 0 : argumentOfCall(this.#text, nameEnd, OPENED.lastIndex);
	}
};
function argumentOfCall(text, nameEnd, start) {
	const limit = Math.min(text.length, nameEnd + LONGEST_CALL);
	let commas = 0;
	let depth = 0;
	for (let at = start; at < limit;) {
		const sign = text[at];
		if (sign === "\"" || sign === "'" || sign === "`") {
			STRING.lastIndex = at;
			const found = STRING.exec(text);
			if (!found) return void 0;
			const value = found[1] ?? found[2] ?? found[3] ?? "";
			const next = text[STRING.lastIndex] ?? "";
			if (commas > 0 && next !== ":" && certaintyOf(value) >= 2) return {
				start: at + 1,
				end: at + 1 + value.length,
				kind: "password",
				rank: RANK.assigned
			};
			at = STRING.lastIndex;
			continue;
		}
		if (sign === ",") commas += 1;
		else if ("([{".includes(sign)) depth += 1;
		else if (")]}".includes(sign)) {
			depth -= 1;
			if (depth < 0) return void 0;
		} else if (sign === ";" && depth === 0) return void 0;
		at += 1;
	}
}
/** What a user and a password follow, with a colon, a slash, a comma or a word between them. */
var PAIR_NAMES = [
	"login",
	"log in",
	"logged in",
	"logs in",
	"log into",
	"logging in",
	"signs in",
	"log-in",
	"sign in",
	"signed in",
	"creds",
	"credentials",
	"account",
	"user/pass",
	"user/pw",
	"user / pass",
	"username/password",
	"username / password",
	"user:pass",
	"user:password",
	"zugangsdaten",
	"anmeldung",
	"einloggen mit",
	"identifiants",
	"credenciales",
	"credenciais",
	"credenziali",
	"inloggegevens"
];
var WORDS_BEFORE = /(?:[ \t]{0,2}(?:data|details|info|as|is|are|with|for|to|using|the|in|on|at|https?:\/\/[^\s"'<>]{1,100}|mit|als|sind|avec|con|com|met|default|test|demo|user|username|staging|production|prod|dev|server|database|db|host|admin(?=[ \t]+(?:user|account|login)))(?![\w@/-])){0,5}[ \t]{0,3}(?:[:=>|–—-]{1,2}|\n|→)?[ \t]{0,4}/iy;
var PAIR = /["'`*_([]{0,3}(?!\/)[\w.@+\\$-]{1,60}["'`*_]{0,3}(?:[ \t]{0,3}(?:[:/|,;]|->|→|–|—|-(?=[ \t]))[ \t]{0,3}|[ \t]{1,3}(?:with|and|mit|und|et|y|e|en|\/|pw|pass(?:word)?|using)(?:[ \t](?:the[ \t])?(?:password|pass|pw|passwort))?:?[ \t]{1,3})["'`*_]{0,3}([^\s"'`<>,]{8,200})/iy;
/** `sonar.login=…`: a token in place of a user. */
var IN_PLACE_OF_USER = /(?:["']?[ \t]{0,2}[=:][ \t]{0,2}["']?|[ \t](?=[^\s]{10,200}[ \t]{0,4}(?:\n|$)))([^\s"'`<>,;/@()]{10,200})(?![\w:/@(])/y;
function tokenAsLogin(text, nameEnd) {
	IN_PLACE_OF_USER.lastIndex = nameEnd;
	const value = IN_PLACE_OF_USER.exec(text)?.[1];
	if (value === void 0 || certaintyOf(value) < 2) return void 0;
	const end = IN_PLACE_OF_USER.lastIndex;
	return {
		start: end - value.length,
		end,
		kind: "token",
		rank: RANK.assigned
	};
}
/** Users whom a password follows without a word about it. */
var KNOWN_USERS = [
	"root",
	"admin",
	"administrator",
	"sysadmin",
	"superuser"
];
var BEHIND_USER = /["'`*_]{0,2}[ \t]{0,2}[:/|][ \t]{0,2}["'`*_]{0,2}([^\s"'`<>,]{8,200})/y;
function passwordOfUser(text, nameEnd) {
	BEHIND_USER.lastIndex = nameEnd;
	const written = BEHIND_USER.exec(text)?.[1];
	return written === void 0 ? void 0 : pairedPassword(written, BEHIND_USER.lastIndex - written.length);
}
function passwordOfPair(text, nameEnd) {
	WORDS_BEFORE.lastIndex = nameEnd;
	PAIR.lastIndex = WORDS_BEFORE.test(text) ? WORDS_BEFORE.lastIndex : nameEnd;
	const found = PAIR.exec(text);
	const written = found?.[1];
	if (!found || written === void 0) return void 0;
	return pairedPassword(written, PAIR.lastIndex - written.length);
}
function pairedPassword(written, start) {
	const value = written.replace(/(?:[).,;:_\]]|\*\*){1,4}$/, "");
	if (certaintyOf(value) < 2) return void 0;
	return {
		start,
		end: start + value.length,
		kind: "password",
		rank: RANK.assigned
	};
}
var WIFI_FIELD = /(?:[A-Z]{1,3}:(?:[^;\\\n]|\\.){0,100};){0,5}?P:"?((?:[^;\\\n"]|\\.){1,100})"?;/y;
/** `WIFI:S:…;T:WPA;P:…;;`, from the end of `wifi:`. */
function wifiPassword(text, nameEnd) {
	WIFI_FIELD.lastIndex = nameEnd;
	const value = WIFI_FIELD.exec(text)?.[1];
	if (value === void 0 || value.length < 5 || isPlaceholder(value)) return void 0;
	const end = text.lastIndexOf(value, WIFI_FIELD.lastIndex - 1) + value.length;
	return {
		start: end - value.length,
		end,
		kind: "wifi_password",
		rank: RANK.named
	};
}
//#endregion
//#region src/features/redaction/rules/ai.ts
/** Model providers and the tools around them. */
var AI_RULES = [
	token("openai_key", [
		"sk-proj-",
		"sk-svcacct-",
		"sk-admin-",
		"sk-None-"
	], "[A-Za-z0-9_-]{40,200}"),
	token("openai_key", "sk-", "[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
	token("openai_key", "sk-", "(?=[A-Za-z]{0,30}[0-9])[A-Za-z0-9]{32,64}"),
	token("openai_organisation", "org-", "(?=[A-Za-z]{0,20}[0-9])[A-Za-z0-9]{24}"),
	token("anthropic_key", [
		"sk-ant-api03-",
		"sk-ant-admin01-",
		"sk-ant-oat01-",
		"sk-ant-"
	], "[A-Za-z0-9_-]{32,200}"),
	token("openrouter_key", "sk-or-v1-", "[a-f0-9]{64}"),
	token("huggingface_token", ["hf_", "api_org_"], "(?=[A-Za-z]{0,40}[A-Z]|[a-z]{0,40}[0-9]|[a-z]{34})[A-Za-z0-9]{34,40}"),
	token("groq_key", "gsk_", "[A-Za-z0-9]{48,56}"),
	token("perplexity_key", "pplx-", "[A-Za-z0-9]{40,64}"),
	token("replicate_token", "r8_", "[A-Za-z0-9_-]{37,40}"),
	token("xai_key", "xai-", "[A-Za-z0-9_]{70,90}"),
	token("langsmith_key", ["lsv2_pt_", "lsv2_sk_"], "[a-f0-9]{32}_[a-f0-9]{10}"),
	token("langfuse_key", ["sk-lf-", "pk-lf-"], UUID$1),
	token("pinecone_key", "pcsk_", "[A-Za-z0-9_]{50,90}"),
	named("pinecone_key", "pinecone", UUID$1),
	named("cohere_key", ["cohere", "co_api_key"], "[a-zA-Z0-9]{40}"),
	named("mistral_key", "mistral", "[A-Za-z0-9]{32}"),
	named("deepseek_key", "deepseek", "sk-[a-f0-9]{32}"),
	named("ai21_key", "ai21", "[A-Za-z0-9]{32}"),
	named("together_key", "together", "[a-f0-9]{64}"),
	token("together_key", "tgp_v1_", "[A-Za-z0-9_-]{43}"),
	token("fireworks_key", "fw_", "[A-Za-z0-9]{22,32}"),
	token("cerebras_key", "csk-", "[a-z0-9]{48}"),
	token("nvidia_key", "nvapi-", "[A-Za-z0-9_-]{60,70}"),
	named("stability_key", "stability", "sk-[A-Za-z0-9]{48}"),
	named("elevenlabs_key", [
		"elevenlabs",
		"xi-api-key",
		"eleven_labs"
	], "sk_[a-f0-9]{48}|[a-f0-9]{32}"),
	token("elevenlabs_key", "sk_", "[a-f0-9]{48}"),
	named("assemblyai_key", "assemblyai", "[0-9a-f]{32}"),
	named("deepgram_key", "deepgram", "[0-9a-f]{40}"),
	named("deepl_key", ["deepl"], `${UUID$1}(?::fx)?`),
	named("private_ai_key", [
		"privateai",
		"private_ai",
		"private-ai"
	], "[a-z0-9]{32}"),
	named("clarifai_key", "clarifai", "[a-f0-9]{32}"),
	named("wandb_key", ["wandb", "weights_and_biases"], "[0-9a-f]{40}"),
	token("wandb_key", "wandb_v1_", "[A-Za-z0-9_]{60,100}"),
	named("comet_key", ["comet_api", "cometml"], "[A-Za-z0-9]{25}"),
	named("neptune_token", "neptune", "eyJ[A-Za-z0-9+/=]{60,300}"),
	token("tavily_key", "tvly-", "[A-Za-z0-9_-]{32,60}"),
	token("exa_key", "exa_", "[a-f0-9-]{36}"),
	token("firecrawl_key", "fc-", "[a-f0-9]{32}"),
	token("jina_key", "jina_", "[A-Za-z0-9_-]{50,70}"),
	token("voyage_key", "pa-", "(?=[A-Za-z_-]{0,42}[0-9])[A-Za-z0-9_-]{43}"),
	token("unstructured_key", "unstr_", "[A-Za-z0-9]{30,60}"),
	token("llamacloud_key", "llx-", "[A-Za-z0-9]{48}"),
	token("modal_token", ["ak-", "as-"], "(?=[A-Za-z]{0,21}[0-9])[A-Za-z0-9]{22}"),
	token("baseten_key", "bt-", "[A-Za-z0-9]{30,40}"),
	token("anyscale_key", "esecret_", "[a-z0-9]{24,40}"),
	token("deepinfra_key", "di-", "[A-Za-z0-9]{32}"),
	token("runpod_key", "rpa_", "[A-Z0-9a-z]{40,60}"),
	token("cursor_key", ["key_", "crsr_"], "[a-f0-9]{64}"),
	token("e2b_key", "e2b_", "[a-f0-9]{40}"),
	token("browserbase_key", ["bb_live_", "bb_test_"], "[A-Za-z0-9_-]{20,60}"),
	token("composio_key", "comp_", "[A-Za-z0-9]{20,40}"),
	token("serper_key", "serper_", "[a-f0-9]{40}"),
	named("serpapi_key", [
		"serpapi",
		"serp_api",
		"serper"
	], "[a-f0-9]{40,64}"),
	named("rapidapi_key", ["rapidapi", "rapid_api"], "[a-z0-9_-]{50}"),
	named("openweather_key", ["openweather", "owm_"], "[a-z0-9]{32}"),
	named("dify_key", "dify", "(?:app|dataset)-[A-Za-z0-9]{24}"),
	named("zhipu_key", [
		"zhipu",
		"bigmodel",
		"glm_"
	], "[a-f0-9]{32}\\.[A-Za-z0-9]{16}"),
	named("moonshot_key", ["moonshot", "kimi"], "sk-[A-Za-z0-9]{48}"),
	named("qwen_key", ["dashscope", "qwen"], "sk-[a-f0-9]{32}"),
	named("azure_openai_key", [
		"azure_openai",
		"azureopenai",
		"openai"
	], "[a-f0-9]{32}|[A-Za-z0-9]{84}"),
	token("deno_token", ["ddp_", "ddw_"], "[A-Za-z0-9]{36,40}")
];
//#endregion
//#region src/features/redaction/rules/cloud.ts
/** Clouds, hosting, content delivery, infrastructure as code. */
var CLOUD_RULES = [
	token("aws_access_key", [
		"AKIA",
		"ASIA",
		"ABIA",
		"ACCA",
		"A3T"
	], "[A-Z0-9]{16,17}"),
	token("aws_bedrock_key", "ABSK", "[A-Za-z0-9+/]{109,269}={0,2}"),
	token("aws_bedrock_key", "bedrock-api-key-", "[A-Za-z0-9+/=]{20,2000}"),
	token("aws_mws_key", "amzn.mws.", UUID$1),
	named("aws_secret_key", [
		"aws",
		"secret_access_key",
		"secretaccesskey",
		"secret_key",
		"secretkey"
	], "[A-Za-z0-9/+]{40}"),
	named("aws_session_token", [
		"session_token",
		"sessiontoken",
		"security_token",
		"security-token"
	], "[A-Za-z0-9/+=]{100,2000}"),
	token("aws_session_token", [
		"IQoJb3JpZ2luX2Vj",
		"FwoGZXIvYXdz",
		"FQoGZXIvYXdz"
	], "(?:[A-Za-z0-9/+=]|%2[BF]|%3D){100,2500}"),
	token("gcp_api_key", "AIza", "[A-Za-z0-9_-]{35}"),
	token("google_oauth_secret", "GOCSPX-", "[A-Za-z0-9_-]{28}"),
	token("google_oauth_token", "ya29.", "[A-Za-z0-9_-]{20,1000}"),
	token("google_refresh_token", "1//0", "[A-Za-z0-9_-]{40,500}"),
	named("gcp_private_key_id", "private_key_id", "[0-9a-f]{40}"),
	inner("azure_client_secret", "[A-Za-z0-9_.~-]{3}[0-9]", "Q~", "[A-Za-z0-9_.~-]{31,34}"),
	named("azure_client_secret", [
		"azure",
		"client_secret",
		"clientsecret",
		"aad"
	], "[A-Za-z0-9_.~-]{3}\\dQ~[A-Za-z0-9_.~-]{31,34}"),
	named("azure_storage_key", [
		"accountkey",
		"account_key",
		"azure",
		"storage_key",
		"storagekey"
	], "[A-Za-z0-9+/]{86}=="),
	named("azure_shared_access_key", ["sharedaccesskey", "azure"], "[A-Za-z0-9+/]{43}="),
	named("azure_sas_signature", [
		"&sig",
		"?sig",
		";sig"
	], "[A-Za-z0-9%+/]{43,90}(?:=|%3D)?"),
	named("azure_subscription_key", ["ocp-apim-subscription-key", "azure"], "[0-9a-f]{32}"),
	named("azure_devops_token", [
		"azure",
		"devops",
		"visualstudio",
		"vsts",
		"ado_pat"
	], "[a-z2-7]{52}|[A-Za-z0-9]{75,84}"),
	inner("azure_devops_token", "[A-Za-z0-9]{76}", "AZDO", "[A-Za-z0-9]{4}"),
	inner("azure_function_key", "[A-Za-z0-9_-]{44}", "AzFu", "[A-Za-z0-9_-]{6}(?:==|%3D%3D)?"),
	token("alibaba_access_key", "LTAI", "[A-Za-z0-9]{17,24}"),
	named("alibaba_secret_key", [
		"alibaba",
		"aliyun",
		"alicloud"
	], "[a-z0-9]{30}"),
	token("tencent_secret_id", "AKID", "[A-Za-z0-9]{32,40}"),
	named("tencent_secret_key", ["tencent", "qcloud"], "[A-Za-z0-9]{32}"),
	token("digitalocean_token", [
		"dop_v1_",
		"doo_v1_",
		"dor_v1_"
	], "[a-f0-9]{64}"),
	token("digitalocean_spaces_key", "DO00", "[A-Z0-9]{16}"),
	token("heroku_api_key", "HRKU-", "[A-Za-z0-9_-]{36,64}"),
	named("heroku_api_key", "heroku", UUID$1),
	named("cloudflare_api_key", "cloudflare", "[a-z0-9_-]{37,40}"),
	token("cloudflare_origin_ca_key", "v1.0-", "[a-f0-9]{24}-[a-f0-9]{146}"),
	token("cloudflare_token", [
		"cfut_",
		"cfat_",
		"cfk_"
	], "[A-Za-z0-9_-]{40,60}"),
	named("linode_token", "linode", "[a-f0-9]{64}"),
	named("vultr_api_key", "vultr", "[A-Z0-9]{36}"),
	token("scaleway_access_key", "SCW", "[A-Z0-9]{17}"),
	named("scaleway_secret_key", ["scaleway", "scw_secret"], UUID$1),
	named("hetzner_token", ["hetzner", "hcloud"], "[A-Za-z0-9]{64}"),
	named("ovh_key", "ovh", "[A-Za-z0-9]{16}|[A-Za-z0-9]{32}"),
	named("exoscale_key", "exoscale", "EXO[a-f0-9]{24}|[A-Za-z0-9_-]{43}"),
	token("exoscale_key", "EXO", "[a-f0-9]{24}"),
	token("yandex_cloud_key", ["AQVN", "AQVNy"], "[A-Za-z0-9_-]{35,38}"),
	token("yandex_access_token", ["t1."], "[A-Z0-9a-z_-]{1,400}={0,2}\\.[A-Z0-9a-z_-]{86}={0,2}"),
	token("yandex_aws_token", "YC", "[A-Za-z0-9_-]{38}"),
	token("yandex_oauth_token", ["y0_", "y1_"], "[A-Za-z0-9_-]{50,70}"),
	named("softlayer_key", "softlayer", "[a-z0-9]{64}"),
	named("ibm_cloud_key", [
		"ibm",
		"bluemix",
		"softlayer",
		"iam_apikey"
	], "[A-Za-z0-9_-]{44}"),
	named("oracle_cloud_key", "ocid1.", "[A-Za-z0-9.]{60,160}"),
	token("fly_token", ["fo1_"], "[A-Za-z0-9_-]{43}"),
	token("fly_token", [
		"fm1r_",
		"fm1a_",
		"fm2_"
	], "[A-Za-z0-9+/]{100,3000}={0,3}"),
	token("netlify_token", [
		"nfp_",
		"nfc_",
		"nfu_",
		"nfo_"
	], "[A-Za-z0-9]{36}"),
	named("netlify_token", "netlify", "[a-z0-9=_-]{40,46}"),
	token("vercel_token", [
		"vcp_",
		"vci_",
		"vca_",
		"vcr_",
		"vck_"
	], "[A-Za-z0-9]{24,60}"),
	named("vercel_token", [
		"vercel",
		"zeit",
		"now_token"
	], "[A-Za-z0-9]{24}"),
	token("vercel_blob_token", "vercel_blob_rw_", "[A-Za-z0-9_]{20,60}"),
	token("render_api_key", "rnd_", "[A-Za-z0-9]{28,40}"),
	named("railway_token", "railway", UUID$1),
	named("fastly_api_key", "fastly", "[a-z0-9=_-]{32}"),
	inner("terraform_token", "[A-Za-z0-9]{14}", ".atlasv1.", "[A-Za-z0-9=_-]{60,70}"),
	named("terraform_token", [
		"terraform",
		"tfe_",
		"hcp",
		"atlas",
		"hashicorp"
	], "[a-z0-9]{14}\\.atlasv1\\.[a-z0-9=_-]{60,70}"),
	token("vault_token", [
		"hvs.",
		"hvb.",
		"hvr."
	], "[A-Za-z0-9_-]{24,300}"),
	token("vault_token", ["s.", "b."], "(?=[A-Za-z0-9]{0,23}[0-9])(?=[A-Za-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}"),
	token("pulumi_token", "pul-", "[a-f0-9]{40}"),
	token("doppler_token", [
		"dp.pt.",
		"dp.st.",
		"dp.ct.",
		"dp.sa.",
		"dp.scim.",
		"dp.audit."
	], "[A-Za-z0-9._-]{40,64}"),
	token("infracost_key", "ico-", "[A-Za-z0-9]{32}"),
	token("harness_token", ["pat.", "sat."], "[A-Za-z0-9_-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}"),
	token("octopus_api_key", "API-", "[A-Z0-9]{25,29}"),
	token("openshift_token", "sha256~", "[A-Za-z0-9_-]{43}"),
	token("databricks_token", "dapi", "[a-f0-9]{32}(?:-\\d)?"),
	token("databricks_token", "dose", "[a-f0-9]{32}"),
	token("prefect_key", ["pnu_", "pnb_"], "[a-zA-Z0-9]{36}"),
	token("dynatrace_token", [
		"dt0c01.",
		"dt0s01.",
		"dt0s16.",
		"dt0s08."
	], "[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}"),
	token("defined_networking_key", "dnkey-", "[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
	token("tailscale_key", [
		"tskey-auth-",
		"tskey-api-",
		"tskey-client-",
		"tskey-scim-",
		"tskey-webhook-",
		"tskey-"
	], "[A-Za-z0-9-]{16,80}"),
	token("ngrok_token", "ngrok-", "[A-Za-z0-9_]{40,60}"),
	named("ngrok_token", ["ngrok", "authtoken"], "[12][A-Za-z0-9]{26}_[A-Za-z0-9]{20,21}"),
	named("zerotier_token", "zerotier", "[A-Za-z0-9]{32}"),
	named("kubernetes_token", [
		"kubernetes",
		"kubeconfig",
		"k8s"
	], "[A-Za-z0-9]{6}\\.[a-z0-9]{16}"),
	token("docker_swarm_token", "SWMTKN-1-", "[a-z0-9]{40,60}-[a-z0-9]{20,30}"),
	token("onepassword_service_token", "ops_eyJ", "[A-Za-z0-9+/=_-]{250,2000}"),
	token("onepassword_secret_key", "A3-", "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
	token("age_secret_key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
	token("wasabi_key", "WASABI", "[A-Z0-9]{14,20}"),
	named("backblaze_key", ["backblaze", "b2_"], "K00[0-9][A-Za-z0-9+/]{27}"),
	token("backblaze_key", [
		"K001",
		"K002",
		"K003",
		"K004",
		"K005"
	], "[A-Za-z0-9+/]{27}"),
	named("bunny_key", ["bunnycdn", "bunny_"], "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{4}|[0-9a-f-]{72}"),
	named("gandi_key", "gandi", "[A-Za-z0-9]{24}|[a-f0-9]{40}"),
	named("godaddy_key", "godaddy", "[A-Za-z0-9_]{18,40}"),
	named("namecheap_key", "namecheap", "[a-f0-9]{32}"),
	named("dnsimple_token", "dnsimple", "dnsimple_[au]_[A-Za-z0-9]{40}|[A-Za-z0-9]{32}"),
	token("dnsimple_token", ["dnsimple_a_", "dnsimple_u_"], "[A-Za-z0-9]{40,80}"),
	token("ubidots_token", "BBFF-", "[A-Za-z0-9]{30}"),
	token("spacelift_key", "spacelift_", "[A-Za-z0-9_-]{30,80}"),
	token("env0_key", "env0_", "[A-Za-z0-9_-]{30,80}"),
	token("endor_labs_key", "endr+", "[A-Za-z0-9-]{16}"),
	token("settlemint_token", [
		"sm_aat_",
		"sm_pat_",
		"sm_sat_"
	], "[A-Za-z0-9]{16}"),
	token("mergify_key", ["mka_", "mergify_application_key_"], "[A-Za-z0-9_-]{40,80}"),
	named("meraki_key", ["meraki"], "[0-9a-f]{40}"),
	token("akamai_token", "akab-", "[a-z0-9]{16}-[a-z0-9]{16}")
];
//#endregion
//#region src/features/redaction/rules/databases.ts
/** Databases, search and queue services, secrets in their connection strings. */
var DATABASE_RULES = [
	token("planetscale_token", [
		"pscale_tkn_",
		"pscale_pw_",
		"pscale_oauth_"
	], "[A-Za-z0-9_=.-]{32,64}"),
	token("supabase_key", [
		"sbp_",
		"sb_secret_",
		"sb_publishable_"
	], "[A-Za-z0-9_-]{31,60}"),
	token("neon_key", "napi_", "[a-z0-9]{60,70}"),
	token("turso_token", "turso_", "[A-Za-z0-9_-]{40,200}"),
	named("mongodb_atlas_key", ["mongodb", "atlas"], UUID$1),
	token("mongodb_atlas_secret", "mdb_sa_sk_", "[A-Za-z0-9_-]{40}"),
	token("aiven_token", "AVNS_", "[A-Za-z0-9_-]{17,30}"),
	named("aiven_token", "aiven", "[A-Za-z0-9+/=]{372}"),
	token("cockroach_key", "CCDB1_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{40}"),
	token("clickhouse_key", "4b1d", "[A-Za-z0-9]{38}"),
	named("clickhouse_key", "clickhouse", "[A-Za-z0-9]{20}|4b1d[A-Za-z0-9]{38}"),
	token("fauna_secret", "fnA", "[A-Za-z0-9_-]{37,50}"),
	token("xata_key", "xau_", "[A-Za-z0-9]{36,44}"),
	token("convex_key", ["prod:", "dev:"], "[a-z]{3,12}-[a-z]{3,12}-\\d{1,4}\\|[A-Za-z0-9+/=]{40,200}"),
	named("redis_cloud_key", "redis", "[A-Z0-9]{40,56}|[A-Za-z0-9]{32}"),
	named("influxdb_token", "influx", "[A-Za-z0-9_-]{86}=="),
	named("algolia_key", "algolia", "[a-z0-9]{32}"),
	named("meilisearch_key", ["meili"], "[A-Za-z0-9_-]{32,64}"),
	named("typesense_key", "typesense", "[A-Za-z0-9]{32}"),
	named("qdrant_key", "qdrant", "[A-Za-z0-9_-]{34,54}"),
	named("weaviate_key", "weaviate", "[A-Za-z0-9]{36,40}"),
	named("couchbase_key", "couchbase", "[A-Za-z0-9+/=]{60,90}"),
	named("confluent_key", "confluent", "[a-z0-9]{16}|[a-z0-9+/]{64}"),
	token("confluent_key", "cflt", "[A-Za-z0-9+/]{60}"),
	named("cloudamqp_key", "cloudamqp", UUID$1),
	named("contentful_token", "contentful", "[a-z0-9=_-]{43}"),
	token("contentful_token", "CFPAT-", "[A-Za-z0-9_-]{43}"),
	token("sanity_token", "sk", "(?=[A-Za-z]{0,60}[0-9])(?=[a-z0-9]{0,60}[A-Z])[A-Za-z0-9]{178}"),
	named("storyblok_token", "storyblok", "[A-Za-z0-9]{22}t{2}"),
	named("prismic_token", "prismic", "[A-Za-z0-9_-]{60,160}"),
	named("datocms_token", "datocms", "[a-f0-9]{30}"),
	named("airtable_key", "airtable", "[a-z0-9]{17}|key[a-z0-9]{14}"),
	token("airtable_token", "pat", "[A-Za-z0-9]{14}\\.[a-f0-9]{64}"),
	token("airtable_key", "key", "(?=[A-Za-z]{0,13}[0-9])(?=[a-z0-9]{0,13}[A-Z])[A-Za-z0-9]{14}"),
	named("firebase_secret", "firebase", "[A-Za-z0-9]{40}|AIza[A-Za-z0-9_-]{35}"),
	named("appwrite_key", "appwrite", "[a-f0-9]{256}"),
	token("appwrite_key", "standard_", "[a-f0-9]{256}"),
	named("cloudinary_secret", "cloudinary", "[A-Za-z0-9_-]{27}"),
	named("uploadcare_key", "uploadcare", "[a-f0-9]{20}"),
	token("uploadthing_key", "UPLOADTHING_TOKEN=", "[A-Za-z0-9+/=]{80,300}"),
	named("imgur_key", "imgur", "[a-f0-9]{40}|[a-f0-9]{15}"),
	named("imgix_key", "imgix", "ak_[a-f0-9]{64}|[A-Za-z0-9]{16}"),
	named("filestack_key", "filestack", "[A-Za-z0-9]{22}"),
	named("snowflake_password", "snowflake", "[A-Za-z0-9!@#$%^&*_-]{12,64}"),
	token("dbt_token", [
		"dbtc_",
		"dbtu_",
		"dbts_"
	], "[A-Za-z0-9_=-]{35,60}"),
	named("fivetran_key", "fivetran", "[A-Za-z0-9]{16}|[A-Za-z0-9]{32}"),
	named("connection_string_password", [";password", ";pwd"], "[^\\s;\"'`<>]{6,100}"),
	token("tinybird_token", "p.eyJ", "[A-Za-z0-9_-]{30,400}\\.[A-Za-z0-9_-]{20,60}"),
	token("motherduck_token", "md_", "[A-Za-z0-9_-]{40,200}"),
	token("hasura_key", "hasura_", "[A-Za-z0-9]{40,80}"),
	named("hasura_key", ["x-hasura-admin-secret", "hasura"], "[A-Za-z0-9_-]{24,80}"),
	token("harperdb_key", "hdb_", "[A-Za-z0-9]{30,80}"),
	named("baremetrics_key", "baremetrics", "lk_[A-Za-z0-9_]{22}")
];
//#endregion
//#region src/features/redaction/rules/identity.ts
/** Sign-in, identity, security products, signed tokens. */
var IDENTITY_RULES = [
	token("jwt", "eyJ", "[A-Za-z0-9_-]{8,400}\\.eyJ[A-Za-z0-9_-]{4,4000}\\.?[A-Za-z0-9_/+=-]{0,2000}"),
	token("jwt", "eyJ", "[A-Za-z0-9_-]{16,400}\\.[A-Za-z0-9_-]{0,700}\\.[A-Za-z0-9_-]{16,22}\\.[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{22,86}"),
	token("jwt_base64", "ZXlKaGJHY2lPaU", "[A-Za-z0-9/+_-]{40,4000}={0,2}"),
	named("okta_token", ["okta", "ssws"], "00[a-z0-9=_-]{39,42}|[a-z0-9=_-]{42}"),
	named("auth0_secret", "auth0", "[A-Za-z0-9_-]{64}|[A-Za-z0-9_-]{32}"),
	named("onelogin_key", "onelogin", "[a-f0-9]{64}"),
	token("clerk_key", ["sk_live_", "sk_test_"], "[A-Za-z0-9]{42}"),
	named("workos_key", "workos", "sk_(?:live|test)_[A-Za-z0-9_]{20,80}"),
	token("stytch_key", ["secret-live-", "secret-test-"], "[A-Za-z0-9_=-]{34,36}"),
	token("descope_key", "K2", "[A-Za-z0-9]{27}:[A-Za-z0-9]{60,80}"),
	named("fusionauth_key", "fusionauth", "[A-Za-z0-9_-]{43,64}"),
	named("duo_key", ["duo_", "duosecurity"], "D[A-Z0-9]{19}|[A-Za-z0-9]{40}"),
	named("yubico_key", ["yubico", "yubikey"], "[A-Za-z0-9+/]{27}="),
	named("virustotal_key", ["virustotal", "vt_api"], "[a-f0-9]{64}"),
	named("shodan_key", "shodan", "[A-Za-z0-9]{32}"),
	named("censys_key", "censys", `${UUID$1}|[A-Za-z0-9]{32}`),
	named("hunter_key", [
		"hunter_io",
		"hunterio",
		"hunter.io"
	], "[a-f0-9]{40}"),
	named("urlscan_key", "urlscan", UUID$1),
	named("abuseipdb_key", "abuseipdb", "[a-f0-9]{80}"),
	named("greynoise_key", "greynoise", "[A-Za-z0-9]{64}"),
	named("securitytrails_key", "securitytrails", "[A-Za-z0-9_]{32}"),
	named("hibp_key", ["hibp", "haveibeenpwned"], "[a-f0-9]{32}"),
	named("crowdstrike_secret", ["crowdstrike", "falcon"], "[A-Za-z0-9]{40}"),
	named("sidekiq_secret", [
		"sidekiq",
		"bundle_enterprise__contribsys__com",
		"bundle_gems__contribsys__com"
	], "[a-f0-9]{8}:[a-f0-9]{8}"),
	token("sidekiq_url", ["http://", "https://"], "[a-f0-9]{8}:[a-f0-9]{8}@(?:gems|enterprise)\\.contribsys\\.com"),
	named("freemius_secret", ["freemius", "secret_key"], "sk_[^\\s\"'`]{29}"),
	token("intra42_secret", ["s-s4t2ud-", "s-s4t2af-"], "[a-f0-9]{64}"),
	token("hcaptcha_secret", "ES_", "[a-f0-9]{32}"),
	token("recaptcha_secret", [
		"6Le",
		"6Lc",
		"6Ld",
		"6Lf"
	], "[A-Za-z0-9_-]{37}"),
	token("turnstile_secret", ["0x4AAAAAAA"], "[A-Za-z0-9_-]{20,40}"),
	token("authress_key", [
		"sc_",
		"ext_",
		"scauth_",
		"authress_"
	], "[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}"),
	named("arkose_key", "arkose", UUID$1),
	named("rails_master_key", [
		"rails_master_key",
		"master.key",
		"secret_key_base"
	], "[a-f0-9]{32}|[a-f0-9]{64}|[a-f0-9]{128}"),
	named("laravel_app_key", "app_key", "base64:[A-Za-z0-9+/]{43}="),
	named("django_secret_key", ["secret_key", "django"], "(?:django-insecure-)?[a-z0-9!@#$%^&*(_=+)-]{50}"),
	named("symfony_secret", "app_secret", "[a-f0-9]{32}"),
	named("wordpress_salt", [
		"auth_key",
		"secure_auth_key",
		"logged_in_key",
		"nonce_key",
		"auth_salt",
		"secure_auth_salt",
		"logged_in_salt",
		"nonce_salt"
	], "[^'\"\\\\\\n]{64}"),
	named("bitwarden_token", ["bws_access_token", "bitwarden"], `0\\.${UUID$1}\\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==`),
	named("dashlane_token", "dashlane", "dls_[A-Z0-9]{8}_[A-Za-z0-9_]{60,400}"),
	token("keeper_token", [
		"US:",
		"EU:",
		"AU:"
	], "[A-Za-z0-9_-]{43}"),
	token("akeyless_id", "p-", "[a-z0-9]{12,14}am"),
	token("cyberark_key", "conjur_", "[a-z0-9]{40,60}"),
	named("beyondtrust_key", "ps-auth", "[a-f0-9]{128}"),
	named("snowflake_token", "snowflake", "ver:1-hint:\\d{5,20}-[A-Za-z0-9+/=]{60,400}"),
	token("teleport_token", "tlp_", "[A-Za-z0-9_-]{32,80}"),
	token("openvsx_token", "ovsxat_", UUID$1),
	token("ssh_password_hash", [
		"$6$",
		"$5$",
		"$1$",
		"$apr1$"
	], "(?:rounds=\\d{1,9}\\$)?[A-Za-z0-9./]{1,16}\\$[A-Za-z0-9./]{22,86}"),
	token("bcrypt_hash", [
		"$2a$",
		"$2b$",
		"$2y$"
	], "\\d{2}\\$[A-Za-z0-9./]{53}"),
	token("argon2_hash", [
		"$argon2id$",
		"$argon2i$",
		"$argon2d$"
	], "v=\\d{1,3}\\$m=\\d{1,9},t=\\d{1,4},p=\\d{1,4}\\$[A-Za-z0-9+/]{8,100}\\$[A-Za-z0-9+/]{16,200}")
];
//#endregion
//#region src/features/redaction/rules/messaging.ts
/** Chat, mail, telephony, push, social networks. */
var MESSAGING_RULES = [
	token("slack_token", [
		"xoxb-",
		"xoxp-",
		"xoxa-",
		"xoxs-",
		"xoxr-",
		"xoxo-",
		"xoxe-",
		"xoxc-",
		"xoxd-"
	], "[A-Za-z0-9%/+-]{10,400}"),
	token("slack_token", ["xoxe.xoxb-", "xoxe.xoxp-"], "[A-Za-z0-9-]{20,400}"),
	token("slack_token", "xwfp-", "[A-Za-z0-9-]{20,400}"),
	token("slack_app_token", "xapp-", "\\d-[A-Z0-9]{1,20}-\\d{1,20}-[a-z0-9]{1,128}"),
	token("slack_webhook", "hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9+/]{24,120}"),
	token("discord_webhook", [
		"",
		"v6/",
		"v7/",
		"v8/",
		"v9/",
		"v10/"
	].flatMap((version) => ["discord.com", "discordapp.com"].map((host) => `${host}/api/${version}webhooks/`)), "\\d{17,20}/[A-Za-z0-9_-]{60,80}"),
	named("discord_token", "discord", "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}"),
	token("discord_token", [
		"MT",
		"Mj",
		"Mz",
		"ND",
		"NT",
		"Nj",
		"Nz",
		"OD",
		"OT"
	], "[A-Za-z0-9_-]{21,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}"),
	named("discord_api_key", "discord", "[a-f0-9]{64}"),
	named("discord_client_id", "discord", "[0-9]{18}"),
	named("discord_client_secret", "discord", "[a-z0-9=_-]{32}"),
	named("telegram_token", ["telegr", "bot"], "\\d{5,16}:A[a-z0-9_-]{34}"),
	inner("telegram_token", "[0-9]{6,16}", ":AA", "[A-Za-z0-9_-]{33}"),
	token("telegram_token", ["api.telegram.org/bot", "bot"], "\\d{5,16}:A[A-Za-z0-9_-]{34}"),
	token("teams_webhook", ".webhook.office.com/webhookb2/", `${UUID$1}@${UUID$1}/[A-Za-z]{1,20}/[a-z0-9]{32}/${UUID$1}`),
	named("teams_webhook", "https", `//[a-z0-9]{1,60}\\.webhook\\.office\\.com/webhookb2/${UUID$1}@${UUID$1}/[A-Za-z]{1,20}/[a-z0-9]{32}/${UUID$1}`),
	named("mattermost_token", "mattermost", "[a-z0-9]{26}"),
	named("rocketchat_token", ["rocketchat", "rocket_chat"], "[A-Za-z0-9_-]{43}"),
	named("gitter_token", "gitter", "[a-z0-9_-]{40}"),
	named("zulip_key", "zulip", "[A-Za-z0-9]{32}"),
	token("matrix_token", [
		"syt_",
		"mct_",
		"mcr_"
	], "[A-Za-z0-9]{1,60}_[A-Za-z0-9]{10,30}_[A-Za-z0-9]{6}"),
	token("twilio_key", "SK", "[0-9a-fA-F]{32}"),
	token("twilio_account_sid", "AC", "[0-9a-f]{32}"),
	named("twilio_auth_token", "twilio", "[0-9a-f]{32}"),
	token("sendgrid_key", "SG.", "[A-Za-z0-9_=-]{16,32}\\.[A-Za-z0-9_=-]{30,64}|[A-Za-z0-9_=.-]{66}"),
	token("sendinblue_key", ["xkeysib-", "xsmtpsib-"], "[a-f0-9]{64}-[A-Za-z0-9]{16}"),
	token("mailgun_key", ["key-", "pubkey-"], "[a-f0-9]{32}"),
	named("mailgun_key", "mailgun", "(?:pub)?(?:key-)?[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}|[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}"),
	named("mailchimp_key", ["mailchimp", "mandrill"], "[a-f0-9]{32}-us\\d{1,2}|[A-Za-z0-9_-]{22}"),
	inner("mailchimp_key", "[a-f0-9]{32}", "-us", "[0-9]{1,2}"),
	token("mandrill_key", "md-", "[A-Za-z0-9_-]{22}"),
	named("mailjet_key", "mailjet", "[A-Za-z0-9]{32}"),
	token("mailersend_token", ["mlsn."], "[a-f0-9]{64}"),
	token("resend_key", "re_", "(?=[A-Za-z_]{0,24}[0-9])[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
	named("postmark_token", "postmark", UUID$1),
	named("sparkpost_key", "sparkpost", "[a-f0-9]{40}"),
	named("messagebird_key", [
		"messagebird",
		"message-bird",
		"message_bird"
	], `[a-z0-9]{25}|${UUID$1}`),
	named("nexmo_key", ["nexmo", "vonage"], "[a-f0-9]{8}|[A-Za-z0-9]{16}"),
	named("plivo_key", "plivo", "(?:MA|SA)[A-Z0-9]{18}|[A-Za-z0-9]{40}"),
	named("telnyx_key", "telnyx", "KEY[A-Za-z0-9_]{40,60}"),
	token("telnyx_key", "KEY0", "[A-Z0-9]{30,36}_[A-Za-z0-9]{22}"),
	named("sinch_key", "sinch", "[a-f0-9]{32}"),
	named("bandwidth_key", "bandwidth", "[a-f0-9]{48}"),
	named("clicksend_key", "clicksend", "[A-Z0-9]{8}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{12}"),
	named("pusher_key", "pusher", "[a-f0-9]{20}"),
	named("pubnub_key", "pubnub", `(?:sub|pub|sec)-c-[A-Za-z0-9-]{30,60}`),
	token("pubnub_key", ["pub-c-", "sub-c-"], UUID$1),
	token("pubnub_key", ["sec-c-"], "[A-Za-z0-9+/=]{48,60}"),
	named("ably_key", "ably", "[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{6}:[A-Za-z0-9_-]{43}"),
	named("onesignal_key", ["onesignal", "one_signal"], `[A-Za-z0-9]{48}|${UUID$1}`),
	token("onesignal_key", ["os_v2_app_", "os_v2_org_"], "[a-z0-9]{80,110}"),
	token("expo_token", "ExponentPushToken[", "[A-Za-z0-9_-]{22}\\]"),
	token("fcm_server_key", "AAAA", "[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{140}"),
	named("sendbird_key", "sendbird", `[a-f0-9]{40}|${UUID$1}`),
	named("intercom_key", "intercom", "[a-z0-9=_-]{60}|dG9r[A-Za-z0-9+/=]{50,60}"),
	token("intercom_key", "dG9rOj", "[A-Za-z0-9+/=]{46,54}"),
	named("drift_token", "drift", "[A-Za-z0-9]{32}"),
	named("crisp_key", "crisp", "[a-f0-9]{64}"),
	token("twitter_bearer_token", "AAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{60,120}"),
	named("twitter_key", ["twitter", "tweepy"], "[a-z0-9]{25}|[a-z0-9]{50}|[0-9]{15,25}-[a-z0-9]{20,40}|[a-z0-9]{45}|A{22}[A-Za-z0-9%]{80,100}"),
	named("facebook_secret", ["facebook", "fb_"], "[a-f0-9]{32}"),
	token("facebook_page_token", [
		"EAAM",
		"EAAC",
		"EAAB",
		"EAAG",
		"EAAD",
		"EAAE",
		"EAAF",
		"EAAH",
		"EAAI",
		"EAAJ",
		"EAAO",
		"EAAP",
		"EAAR"
	], "[A-Za-z0-9]{100,400}"),
	named("facebook_access_token", [
		"facebook",
		"fb_",
		"access_token"
	], "\\d{15,16}(?:\\||%7C)[A-Za-z0-9_-]{27,40}"),
	named("facebook_access_token", ["access_token"], "\\d{15,16}(?:\\||%7C)[A-Za-z0-9_-]{27,40}"),
	token("instagram_token", "IGQV", "[A-Za-z0-9_-]{80,300}"),
	named("linkedin_client_id", [
		"linkedin",
		"linked_in",
		"linked-in"
	], "[a-z0-9]{14}|[a-z0-9]{16}"),
	token("linkedin_secret", "WPL_AP", "\\d\\.[A-Za-z0-9.=]{15,39}[A-Za-z0-9]"),
	named("pinterest_token", "pinterest", "pina_[A-Za-z0-9]{32}|[A-Za-z0-9]{40}"),
	named("reddit_secret", "reddit", "[A-Za-z0-9_-]{14}|[A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{27,30}"),
	named("twitch_token", "twitch", "[a-z0-9]{30}"),
	token("twitch_token", "oauth:", "[a-z0-9]{30}"),
	named("youtube_key", "youtube", "AIza[A-Za-z0-9_-]{35}"),
	named("flickr_token", "flickr", "[a-z0-9]{32}|[a-f0-9]{16}"),
	named("tumblr_key", "tumblr", "[A-Za-z0-9]{50}"),
	named("vk_token", ["vk_", "vkontakte"], "vk1\\.a\\.[A-Za-z0-9_-]{60,300}|[a-f0-9]{85}"),
	token("vk_token", "vk1.a.", "[A-Za-z0-9_-]{60,300}"),
	named("line_token", [
		"line_channel",
		"linebot",
		"line_notify"
	], "[A-Za-z0-9+/]{100,200}={0,2}|[a-f0-9]{32}|[A-Za-z0-9]{43}"),
	named("wechat_secret", [
		"wechat",
		"weixin",
		"wx_"
	], "[a-f0-9]{32}"),
	token("dingtalk_token", "oapi.dingtalk.com/robot/send?access_token=", "[a-f0-9]{64}"),
	token("wecom_webhook", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", UUID$1),
	token("feishu_webhook", ["open.feishu.cn/open-apis/bot/v2/hook/", "open.larksuite.com/open-apis/bot/v2/hook/"], UUID$1),
	token("google_chat_webhook", "chat.googleapis.com/v1/spaces/", "[A-Za-z0-9_-]{8,16}/messages\\?key=[A-Za-z0-9_-]{30,50}&token=[A-Za-z0-9_%-]{30,60}"),
	token("zoom_webhook", "hooks.zoom.us/", "[A-Za-z0-9/_-]{20,80}"),
	token("viber_token", "viber", "[a-f0-9]{16}-[a-f0-9]{16}-[a-f0-9]{16}"),
	named("snapchat_key", "snapchat", UUID$1),
	named("tiktok_secret", "tiktok", "[a-f0-9]{40}")
];
//#endregion
//#region src/features/redaction/rules/observability.ts
/** Logs, metrics, errors, analytics, feature flags. */
var OBSERVABILITY_RULES = [
	named("datadog_key", [
		"datadog",
		"dd_api",
		"dd_app",
		"dd-api-key",
		"dd-application-key"
	], "[a-z0-9]{40}|[a-f0-9]{32}|[a-z0-9]{34}"),
	token("datadog_token", [
		"ddapp_",
		"ddpat_",
		"ddsat_"
	], "[A-Za-z0-9_]{30,60}"),
	token("new_relic_key", [
		"NRAK-",
		"NRII-",
		"NRJS-",
		"NRRA-",
		"NRIQ-",
		"NRSP-",
		"NRAA-",
		"NRBR-",
		"NRSR-",
		"NRAL-"
	], "[A-Za-z0-9_-]{19,42}"),
	named("new_relic_key", [
		"new-relic",
		"newrelic",
		"new_relic"
	], "[a-z0-9]{64}|[a-f0-9]{36}NRAL|[a-f0-9]{40}|NR[A-Z]{2}-[a-z0-9-]{19,42}"),
	inner("new_relic_licence", "[a-f0-9]{36}", "NRAL", ""),
	token("grafana_key", "eyJrIjoi", "[A-Za-z0-9]{60,400}={0,3}"),
	token("grafana_cloud_token", "glc_", "[A-Za-z0-9+/]{32,400}={0,3}"),
	token("grafana_service_token", "glsa_", "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
	token("sentry_token", ["sntrys_"], "[A-Za-z0-9+/=_-]{80,500}"),
	token("sentry_token", [
		"sntryu_",
		"sntrya_",
		"sntryi_"
	], "[a-f0-9]{64}"),
	named("sentry_token", "sentry", "[a-f0-9]{64}|[a-f0-9]{32}"),
	named("honeycomb_key", "honeycomb", "(?:hc[abx][il][kc]_)?[A-Za-z0-9]{22,64}"),
	token("honeycomb_key", [
		"hcaik_",
		"hcbik_",
		"hcxik_",
		"hcalk_",
		"hcamk_",
		"hcxlk_"
	], "[A-Za-z0-9]{58,64}"),
	named("honeycomb_key", "x-honeycomb-team", "[A-Za-z0-9_]{22,64}"),
	named("rollbar_token", "rollbar", "[a-f0-9]{32}"),
	named("bugsnag_key", "bugsnag", `[a-f0-9]{32}|${UUID$1}`),
	named("airbrake_key", "airbrake", "[a-f0-9]{32,40}"),
	named("raygun_key", "raygun", "[A-Za-z0-9+/=]{22,24}"),
	named("honeybadger_key", ["honeybadger", "hbp_"], "(?:hbp_)?[A-Za-z0-9]{30,40}"),
	token("honeybadger_key", "hbp_", "[A-Za-z0-9]{30,40}"),
	named("loggly_token", "loggly", UUID$1),
	named("logdna_key", ["logdna", "mezmo"], "[a-f0-9]{32}"),
	named("logzio_token", ["logzio", "logz.io"], UUID$1),
	named("papertrail_token", "papertrail", "[A-Za-z0-9]{20}"),
	named("splunk_token", ["splunk", "hec_token"], UUID$1),
	named("sumologic_key", ["sumo"], "su[a-z0-9]{12}|[a-z0-9]{64}"),
	token("coralogix_key", ["cxtp_", "cxup_"], "[A-Za-z0-9]{30}"),
	named("elastic_key", ["elastic", "apikey"], "[A-Za-z0-9_-]{58,64}=="),
	token("elastic_key", ["essu_"], "[A-Za-z0-9+/=]{40,200}"),
	named("pagerduty_key", [
		"pagerduty",
		"pager_duty",
		"pager-duty",
		"pd_"
	], "[uy]\\+[A-Za-z0-9_+-]{18}|[A-Za-z0-9_+-]{20}|[a-f0-9]{32}"),
	named("opsgenie_key", ["opsgenie"], UUID$1),
	named("victorops_key", "victorops", `[a-f0-9]{32}|${UUID$1}`),
	named("statuspage_key", "statuspage", `${UUID$1}|[a-f0-9]{64}`),
	named("pingdom_token", "pingdom", "[A-Za-z0-9_-]{86}|[a-z0-9]{32}"),
	token("uptimerobot_key", [
		"u",
		"m",
		"ur"
	], "\\d{6,9}-[a-f0-9]{24,32}"),
	named("betterstack_token", [
		"betterstack",
		"betteruptime",
		"logtail"
	], "[A-Za-z0-9]{24}"),
	named("appdynamics_key", "appdynamics", "[a-z0-9]{12}"),
	named("instana_token", "instana", "[A-Za-z0-9_-]{22}"),
	named("lightstep_token", "lightstep", "[A-Za-z0-9+/]{70,120}={0,2}"),
	named("signalfx_token", ["signalfx", "sfx_"], "[A-Za-z0-9_-]{22}"),
	named("librato_token", "librato", "[a-f0-9]{64}"),
	named("amplitude_key", "amplitude", "[a-f0-9]{32}"),
	named("mixpanel_secret", "mixpanel", "[a-f0-9]{32}"),
	named("segment_key", "segment", "[A-Za-z0-9_-]{43}\\.[A-Za-z0-9_-]{43}|[A-Za-z0-9]{32}"),
	token("segment_key", "sgp_", "[A-Za-z0-9]{64}"),
	token("posthog_key", [
		"phc_",
		"phx_",
		"phs_"
	], "[A-Za-z0-9]{40,48}"),
	named("fullstory_key", "fullstory", "na1\\.[A-Za-z0-9+/=]{40,100}"),
	named("hotjar_key", "hotjar", "[a-f0-9]{32}"),
	named("beamer_token", "beamer", "b_[a-z0-9=_-]{44}"),
	token("launchdarkly_key", [
		"sdk-",
		"api-",
		"mob-"
	], UUID$1),
	named("launchdarkly_key", "launchdarkly", `[a-z0-9=_-]{40}|(?:api|sdk|mob)-${UUID$1}`),
	named("split_key", "split_", "[a-z0-9]{36,52}"),
	named("optimizely_token", "optimizely", "2:[A-Za-z0-9_-]{40,60}"),
	token("configcat_key", "configcat-sdk-1/", "[A-Za-z0-9_-]{22}/[A-Za-z0-9_-]{22}"),
	token("flagsmith_key", "ser.", "[A-Za-z0-9]{22}"),
	token("statsig_key", ["secret-", "console-"], "[A-Za-z0-9]{36,64}"),
	token("unleash_token", [
		"*:*.",
		"default:development.",
		"default:production."
	], "[a-f0-9]{56,64}"),
	named("cronitor_key", "cronitor", "[a-f0-9]{32}"),
	named("healthchecks_key", ["healthchecks", "hc-ping.com"], "[A-Za-z0-9_-]{32}"),
	named("checkly_key", "checkly", "cu_[a-f0-9]{32}"),
	token("checkly_key", "cu_", "[a-f0-9]{32}"),
	named("scoutapm_key", "scout", "[A-Za-z0-9]{20}"),
	token("axiom_token", ["xaat-", "xapt-"], UUID$1),
	token("highlight_key", "hlx_", "[A-Za-z0-9]{30,60}"),
	token("sematext_token", "stxt_", UUID$1),
	named("site24x7_key", "site24x7", "[a-z]{2}_[a-f0-9]{30,40}"),
	named("wavefront_token", "wavefront", UUID$1)
];
//#endregion
//#region src/features/redaction/rules/own.ts
var OWN_RULES = [token("knowledge_vault_api_key", "kv_", "[A-Za-z0-9_-]{40}"), token("knowledge_vault_session", "kvs_", "[A-Za-z0-9_-]{32,128}")];
//#endregion
//#region src/features/redaction/rules/payment.ts
/** Payments, shops, banking, crypto exchanges, accounting. */
var PAYMENT_RULES = [
	token("stripe_key", [
		"sk_live_",
		"sk_test_",
		"sk_prod_",
		"rk_live_",
		"rk_test_",
		"rk_prod_"
	], "[A-Za-z0-9]{10,250}"),
	token("stripe_key", "sk_org_", "[A-Za-z0-9_]{20,250}"),
	token("stripe_webhook_secret", "whsec_", "[A-Za-z0-9+/]{32,100}={0,2}"),
	token("square_access_token", ["EAAAE", "EAAAl"], "[A-Za-z0-9_-]{56,60}"),
	token("square_access_token", [
		"sq0atp-",
		"sq0csp-",
		"sq0idp-"
	], "[A-Za-z0-9_-]{22,60}"),
	named("squareup_token", ["square"], "EAAA[A-Za-z0-9_-]{22,60}"),
	token("paypal_braintree_token", "access_token$", "(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}"),
	named("paypal_secret", "paypal", "[A-Za-z0-9_-]{80}"),
	named("braintree_key", "braintree", "[a-f0-9]{32}|[a-z0-9]{16}"),
	named("adyen_key", "adyen", "AQE[A-Za-z0-9+/=_*-]{40,200}"),
	token("adyen_key", "AQE", "[A-Za-z0-9]{0,10}hm[A-Za-z0-9]{8,20}[A-Za-z0-9+/=_*^%-]{60,200}"),
	token("gocardless_token", "live_", "(?=[A-Za-z0-9_=-]{0,39}[0-9])[A-Za-z0-9_=-]{40}"),
	named("gocardless_token", "gocardless", "(?:live|sandbox)_[a-z0-9_=-]{40}"),
	token("flutterwave_key", [
		"FLWSECK_TEST-",
		"FLWPUBK_TEST-",
		"FLWSECK-",
		"FLWPUBK-"
	], "[A-Za-z0-9]{32}(?:-X)?"),
	token("flutterwave_encryption_key", "FLWSECK_TEST", "-?[A-Za-z0-9]{12}"),
	named("finicity_key", "finicity", "[a-f0-9]{32}|[a-z0-9]{20}"),
	token("plaid_access_token", [
		"access-sandbox-",
		"access-development-",
		"access-production-"
	], UUID$1),
	named("plaid_key", "plaid", `[a-z0-9]{24}|[a-z0-9]{30}|access-(?:sandbox|development|production)-${UUID$1}`),
	token("duffel_token", ["duffel_test_", "duffel_live_"], "[A-Za-z0-9_=-]{43}"),
	token("easypost_key", ["EZAK", "EZTK"], "[A-Za-z0-9]{54}"),
	token("shippo_token", ["shippo_live_", "shippo_test_"], "[A-Fa-f0-9]{40}"),
	token("lob_key", ["live_", "test_"], "[a-f0-9]{35}"),
	token("lob_key", ["live_pub_", "test_pub_"], "[a-f0-9]{31}"),
	token("shopify_token", [
		"shpat_",
		"shpca_",
		"shppa_",
		"shpss_",
		"shptka_",
		"shpua_"
	], "[A-Fa-f0-9]{32}"),
	named("etsy_token", "etsy", "[a-z0-9]{24}"),
	named("coinbase_token", "coinbase", "[a-z0-9_-]{64}|[A-Za-z0-9]{16,32}"),
	named("kraken_token", "kraken", "[a-z0-9/=_+-]{80,90}"),
	named("kucoin_key", "kucoin", `[a-f0-9]{24}|${UUID$1}`),
	named("bittrex_key", "bittrex", "[a-z0-9]{32}"),
	named("binance_key", "binance", "[A-Za-z0-9]{64}"),
	named("bitfinex_key", "bitfinex", "[A-Za-z0-9]{43}"),
	named("bitmex_key", "bitmex", "[A-Za-z0-9_-]{24}|[A-Za-z0-9_-]{48}"),
	named("gemini_exchange_key", "gemini", "(?:master|account)-[A-Za-z0-9]{20}"),
	named("freshbooks_token", "freshbooks", "[a-z0-9]{64}"),
	named("xero_key", "xero", "[A-Z0-9]{32}|[A-Za-z0-9_-]{48}"),
	named("quickbooks_key", ["quickbooks", "intuit"], "[A-Za-z0-9]{40,50}"),
	named("chargebee_key", "chargebee", "(?:live|test)_[A-Za-z0-9]{30,50}"),
	named("recurly_key", "recurly", "[a-f0-9]{32}"),
	token("paystack_key", ["sk_live_", "sk_test_"], "[a-z0-9]{40}"),
	token("razorpay_key", ["rzp_live_", "rzp_test_"], "[A-Za-z0-9]{14,24}"),
	named("razorpay_secret", "razorpay", "[A-Za-z0-9]{24}"),
	token("mollie_key", ["live_", "test_"], "(?=[A-Za-z]{0,29}[0-9])[A-Za-z0-9]{30}"),
	token("mollie_access_token", "access_", "(?=[A-Za-z]{0,29}[0-9])[A-Za-z0-9]{30}"),
	token("paddle_key", ["pdl_live_apikey_", "pdl_sdbx_apikey_"], "[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}"),
	token("checkout_com_key", ["sk_sbox_", "pk_sbox_"], "[a-z0-9*#$=]{20,60}"),
	named("mercadopago_token", ["mercadopago", "mercado_pago"], "(?:APP_USR|TEST)-\\d{10,20}-\\d{6}-[a-f0-9]{32}-\\d{6,12}"),
	token("mercadopago_token", ["APP_USR-"], "\\d{10,20}-\\d{6}-[a-f0-9]{32}-\\d{6,12}"),
	token("polar_token", ["polar_oat_", "polar_pat_"], "[A-Za-z0-9]{40,60}"),
	token("sumup_key", ["sup_sk_"], "[A-Za-z0-9]{32}"),
	token("wallet_private_key", [
		"xprv",
		"yprv",
		"zprv",
		"tprv"
	], "[1-9A-HJ-NP-Za-km-z]{107}"),
	token("wise_token", "wise_", "[a-f0-9-]{36}"),
	token("lemonsqueezy_key", "lsq_", "[A-Za-z0-9]{30,80}"),
	token("helium_sdk", "sk_hel_", "[A-Za-z0-9]{20,60}"),
	token("nowpayments_key", "NP-", "[A-Z0-9]{7}-[A-Z0-9]{7}-[A-Z0-9]{7}-[A-Z0-9]{7}"),
	named("alphavantage_key", ["alphavantage", "alpha_vantage"], "[A-Z0-9]{16}"),
	named("finnhub_token", "finnhub", "[a-z0-9]{20}"),
	named("polygon_key", "polygon", "[A-Za-z0-9_]{32}"),
	named("iex_token", ["iexcloud", "iexapis"], "[spt]k_[a-f0-9]{32}"),
	token("iex_token", [
		"pk_",
		"sk_",
		"Tpk_",
		"Tsk_"
	], "[a-f0-9]{32}"),
	named("alpaca_key", ["alpaca", "apca"], "[PA]K[A-Z0-9]{18}|[A-Za-z0-9]{40}"),
	named("etherscan_key", [
		"etherscan",
		"bscscan",
		"polygonscan"
	], "[A-Z0-9]{34}"),
	named("infura_key", "infura", "[0-9a-f]{32}"),
	named("alchemy_key", "alchemy", "[A-Za-z0-9_-]{32}"),
	named("ethereum_private_key", [
		"private_key",
		"privatekey",
		"private key"
	], "0x[0-9a-f]{64}"),
	named("yapily_key", "yapily", UUID$1),
	named("currencycloud_key", "currencycloud", "[0-9a-f]{64}")
];
//#endregion
//#region src/features/redaction/rules/productivity.ts
/** Documents, planning, customer relations, files, maps, media. */
var PRODUCTIVITY_RULES = [
	token("atlassian_token", [
		"ATATT3",
		"ATCTT3",
		"ATOA"
	], "[A-Za-z0-9_=.-]{50,260}"),
	named("atlassian_token", [
		"atlassian",
		"jira",
		"confluence",
		"statuspage"
	], "[a-z0-9]{20}[a-f0-9]{4}|[A-Za-z0-9]{24}"),
	named("asana_client_id", "asana", "[0-9]{16}"),
	named("asana_client_secret", "asana", "[a-z0-9]{32}"),
	token("asana_token", [
		"0/",
		"1/",
		"2/"
	], "\\d{16}(?:/\\d{16})?:[a-f0-9]{32}"),
	token("notion_token", ["secret_"], "(?=[A-Za-z]{0,42}[0-9])[A-Za-z0-9]{43}"),
	token("notion_token", ["ntn_"], "[0-9]{11}[A-Za-z0-9]{35}"),
	token("linear_key", [
		"lin_api_",
		"lin_oauth_",
		"lin_wh_"
	], "[A-Za-z0-9]{32,64}"),
	named("linear_secret", "linear", "[a-f0-9]{32}"),
	token("clickup_token", "pk_", "\\d{7,9}_[A-Z0-9]{32}"),
	named("trello_key", "trello", "[a-z0-9-]{32}|[a-f0-9]{64}|ATTA[a-f0-9]{60,76}"),
	token("trello_token", "ATTA", "[a-f0-9]{60,76}"),
	named("monday_token", "monday", "eyJ[A-Za-z0-9_-]{15,200}\\.[A-Za-z0-9_-]{20,400}\\.[A-Za-z0-9_-]{25,100}"),
	token("shortcut_token", "sct_", "[a-z]{2}_[a-z_]{2,20}_[A-Za-z0-9]{20,60}"),
	named("pivotal_token", "pivotal", "[a-z0-9]{32}"),
	token("figma_token", [
		"figd_",
		"figo_",
		"figu_",
		"figoh_",
		"figor_",
		"figdr_"
	], "[A-Za-z0-9_-]{40,60}"),
	named("miro_token", "miro", "[A-Za-z0-9]{27}"),
	token("frameio_token", "fio-u-", "[A-Za-z0-9=_-]{64}"),
	named("typeform_token", "typeform", "tfp_[a-z0-9_.=-]{44,59}"),
	token("typeform_token", "tfp_", "[A-Za-z0-9_.=-]{44,59}"),
	named("surveymonkey_token", ["surveymonkey", "survey_monkey"], "[A-Za-z0-9._=-]{80,100}"),
	named("jotform_key", "jotform", "[a-f0-9]{32}"),
	named("dropbox_secret", "dropbox", "[a-z0-9]{15}|[a-z0-9]{11}AAAAAAAAAA[a-z0-9=_-]{43}|sl\\.[a-z0-9=_-]{130,160}"),
	token("dropbox_token", ["sl.u.", "sl."], "(?=[A-Za-z0-9_-]{0,20}[A-Z])[A-Za-z0-9_-]{130,1400}"),
	named("box_secret", ["box_", "boxsdk"], "[A-Za-z0-9]{32}"),
	named("zendesk_key", "zendesk", "[a-z0-9]{40}"),
	named("freshdesk_key", ["freshdesk", "freshservice"], "[A-Za-z0-9]{20}"),
	named("helpscout_key", ["helpscout", "help_scout"], "[A-Za-z0-9]{32,56}"),
	named("hubspot_key", ["hubspot", "hapikey"], `${UUID$1}|pat-(?:na|eu)\\d-${UUID$1}`),
	token("hubspot_token", [
		"pat-na1-",
		"pat-na2-",
		"pat-eu1-",
		"pat-ap1-"
	], UUID$1),
	named("salesforce_secret", ["salesforce", "sfdc"], "00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{80,140}|[0-9A-F]{64}|3MVG[A-Za-z0-9_.]{70,100}"),
	token("salesforce_token", "00D", "[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{80,140}"),
	token("salesforce_consumer_key", "3MVG9", "[A-Za-z0-9_.]{70,100}"),
	named("pipedrive_token", "pipedrive", "[a-f0-9]{40}"),
	named("zoho_token", "zoho", "1000\\.[a-f0-9]{32}\\.[a-f0-9]{32}"),
	token("zoho_token", "1000.", "[a-f0-9]{32}\\.[a-f0-9]{32}"),
	named("close_key", "close", "api_[A-Za-z0-9]{22}\\.[A-Za-z0-9]{22}"),
	named("activecampaign_key", ["activecampaign", "active_campaign"], "[a-f0-9]{64}"),
	token("klaviyo_key", "pk_", "[a-f0-9]{34}"),
	named("convertkit_key", "convertkit", "[A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{43}"),
	named("iterable_key", "iterable", "[a-f0-9]{32}"),
	named("customerio_key", [
		"customerio",
		"customer_io",
		"customer.io"
	], "[a-z0-9]{20,40}"),
	named("braze_key", "braze", UUID$1),
	named("calendly_token", "calendly", "eyJ[A-Za-z0-9_-]{100,300}\\.eyJ[A-Za-z0-9_-]{100,300}\\.[A-Za-z0-9_-]{40,100}|[A-Za-z0-9]{32}"),
	token("cal_com_key", [
		"cal_live_",
		"cal_test_",
		"cal_"
	], "[a-f0-9]{32}"),
	named("docusign_key", "docusign", UUID$1),
	named("adobe_client_id", "adobe", "[a-f0-9]{32}"),
	token("adobe_client_secret", ["p8e-", "p8-"], "[A-Za-z0-9_-]{32}"),
	token("adobe_token", "s-", "[a-z0-9]{8}-[a-z0-9]{4}-4[a-z0-9]{3}-[a-z0-9]{4}-[a-z0-9]{12}"),
	named("adafruit_key", ["adafruit"], "[a-z0-9_-]{32}"),
	token("adafruit_key", "aio_", "[A-Za-z0-9]{28}"),
	named("squarespace_token", "squarespace", UUID$1),
	named("wix_key", "wix", "IST\\.eyJ[A-Za-z0-9_-]{50,400}\\.[A-Za-z0-9_-]{100,1200}\\.[A-Za-z0-9_-]{100,600}"),
	named("webflow_token", "webflow", "[a-f0-9]{64}"),
	named("ghost_key", "ghost", "[a-f0-9]{24}:[a-f0-9]{64}"),
	token("maps_mapbox_token", [
		"pk.eyJ",
		"sk.eyJ",
		"tk.eyJ"
	], "[A-Za-z0-9_-]{40,200}\\.[A-Za-z0-9_-]{22}"),
	token("mapbox_token", ["pk.", "sk."], "(?=[A-Za-z]{0,59}[0-9])[A-Za-z0-9]{60}\\.[A-Za-z0-9]{22}"),
	named("here_key", ["here_", "heremaps"], "[A-Za-z0-9_-]{43}"),
	named("tomtom_key", "tomtom", "[A-Za-z0-9]{32}"),
	named("ipinfo_token", [
		"ipinfo",
		"ipstack",
		"ipgeolocation",
		"ipdata"
	], "[a-f0-9]{14}|[a-f0-9]{32}|[a-f0-9]{56}"),
	named("maxmind_key", ["maxmind", "geoip"], "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk|[A-Za-z0-9]{16}"),
	token("maxmind_key", ["mmk_"], "[A-Za-z0-9]{29}"),
	named("nytimes_token", [
		"nytimes",
		"new-york-times",
		"newyorktimes",
		"new_york_times"
	], "[a-z0-9=_-]{32}"),
	named("newsapi_key", ["newsapi", "news_api"], "[a-f0-9]{32}"),
	named("spotify_secret", "spotify", "[a-f0-9]{32}"),
	token("spotify_token", "BQ", "(?=[A-Za-z0-9_-]{0,20}[0-9])[A-Za-z0-9_-]{81,240}"),
	named("lastfm_key", ["lastfm", "last_fm"], "[a-f0-9]{32}"),
	named("giphy_key", "giphy", "[A-Za-z0-9]{32}"),
	named("unsplash_key", ["unsplash", "pexels"], "[A-Za-z0-9_-]{43}|[A-Za-z0-9]{56}|[a-f0-9]{64}"),
	named("vimeo_token", "vimeo", "[a-f0-9]{32}|[A-Za-z0-9/+]{128}"),
	named("mux_key", "mux_", `${UUID$1}|[A-Za-z0-9+/]{75}`),
	named("steam_key", "steam", "[A-F0-9]{32}"),
	named("strava_secret", "strava", "[a-f0-9]{40}"),
	named("fitbit_secret", "fitbit", "[a-f0-9]{32}"),
	named("foursquare_key", "foursquare", "[A-Z0-9]{48}|fsq3[A-Za-z0-9+/=]{40,48}"),
	token("foursquare_key", "fsq3", "[A-Za-z0-9+/]{43}="),
	named("yelp_key", "yelp", "[A-Za-z0-9_-]{128}"),
	named("uber_token", "uber", "[A-Za-z0-9_-]{32,40}"),
	named("lyft_secret", "lyft", "[A-Za-z0-9_-]{32}"),
	named("yandex_key", "yandex", "t1\\.[a-z0-9_-]{1,400}={0,2}\\.[a-z0-9_-]{86}={0,2}|AQVN[a-z0-9_-]{35,38}|YC[a-z0-9_-]{38}"),
	named("evernote_token", "evernote", "[A-Za-z0-9:=_-]{60,120}"),
	named("todoist_token", "todoist", "[a-f0-9]{40}"),
	named("zapier_secret", "zapier", "[A-Za-z0-9]{32,64}"),
	token("zapier_webhook", "hooks.zapier.com/hooks/catch/", "\\d{4,9}/[A-Za-z0-9]{5,12}"),
	token("make_webhook", [
		"hook.eu1.make.com/",
		"hook.us1.make.com/",
		"hook.eu2.make.com/",
		"hook.us2.make.com/",
		"hook.integromat.com/"
	], "[a-z0-9]{32}"),
	named("ifttt_key", ["ifttt", "maker.ifttt.com/use"], "[A-Za-z0-9_-]{22,43}"),
	token("apify_token", "apify_api_", "[A-Za-z0-9]{34,38}"),
	named("scrapingbee_key", [
		"scrapingbee",
		"scraperapi",
		"scrapingant"
	], "[A-Z0-9]{80}|[a-f0-9]{32}"),
	token("brightdata_key", "brd-customer-", "[a-z0-9_-]{8,40}:[a-z0-9]{10,20}"),
	named("browserstack_key", [
		"browserstack",
		"saucelabs",
		"sauce",
		"lambdatest"
	], `[A-Za-z0-9]{20}|${UUID$1}|[A-Za-z0-9]{50}`),
	named("cypress_key", ["cypress_record"], UUID$1),
	token("percy_token", ["web_", "app_"], "[a-f0-9]{64}"),
	token("chromatic_token", "chpt_", "[a-f0-9]{12,16}"),
	token("expo_access_token", "expo_", "[A-Za-z0-9_-]{40}"),
	named("appcenter_token", [
		"appcenter",
		"app_center",
		"hockeyapp"
	], "[a-f0-9]{40}|[a-f0-9]{32}"),
	named("codepush_key", "codepush", "[A-Za-z0-9_-]{37,60}"),
	token("revenuecat_key", [
		"sk_",
		"appl_",
		"goog_"
	], "(?=[A-Za-z]{0,27}[0-9])[A-Za-z0-9]{28}"),
	token("scalingo_token", "tk-us-", "[A-Za-z0-9_-]{48}"),
	token("gemini_tools_key", "AQ.", "Ab[A-Za-z0-9_-]{40,60}"),
	token("wakatime_key", "waka_", UUID$1),
	named("looker_key", "looker", "[a-z0-9]{20}|[a-z0-9]{24}"),
	named("tableau_token", "tableau", "[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}"),
	token("lokalise_token", "lokalise_", "[a-f0-9]{40}"),
	named("lokalise_token", [
		"lokalise",
		"crowdin",
		"transifex",
		"phrase"
	], "[a-f0-9]{40}|[a-f0-9]{64}|[a-f0-9]{80}|1/[a-f0-9]{40}"),
	named("contentstack_token", "contentstack", "cs[a-f0-9]{32}|blt[a-f0-9]{16}"),
	token("contentstack_token", "blt", "[a-f0-9]{16}"),
	named("bynder_token", "bynder", "[a-f0-9]{64}"),
	named("cloudconvert_key", ["cloudconvert", "convertapi"], "[A-Za-z0-9]{16,64}"),
	named("clearbit_key", "clearbit", "sk_[a-f0-9]{32}"),
	named("apollo_key", "apollo", "[A-Za-z0-9_-]{22}|service:[A-Za-z0-9_-]{3,60}:[A-Za-z0-9_-]{22}"),
	token("apollo_graph_key", ["service:"], "[A-Za-z0-9_-]{3,60}:[A-Za-z0-9_-]{22}")
];
//#endregion
//#region src/features/redaction/rules/source-hosts.ts
/** Source hosts, package registries, continuous integration, code quality. */
var SOURCE_HOST_RULES = [
	token("github_token", [
		"ghp_",
		"gho_",
		"ghu_",
		"ghs_"
	], "[A-Za-z0-9]{36,255}"),
	token("github_refresh_token", "ghr_", "[A-Za-z0-9]{36,255}"),
	token("github_fine_grained_token", "github_pat_", "[A-Za-z0-9_]{22,255}"),
	token("github_app_token", "v1.", "[a-f0-9]{40}"),
	named("github_client_secret", "github", "[0-9a-f]{40}"),
	token("gitlab_token", [
		"glpat-",
		"gldt-",
		"glrt-",
		"glcbt-",
		"glptt-",
		"glft-",
		"glsoat-",
		"glimt-",
		"glagent-",
		"gloas-",
		"glffct-",
		"glrtr-",
		"glwt-"
	], "[A-Za-z0-9_-]{20,300}(?:\\.[a-z0-9]{2}\\.[a-z0-9]{7,12})?"),
	token("gitlab_runner_token", "GR1348941", "[A-Za-z0-9_-]{20}"),
	token("gitlab_cicd_job_token", "glcbt-", "[A-Za-z0-9]{1,5}_[A-Za-z0-9_-]{20}"),
	named("gitlab_session", "_gitlab_session", "[0-9a-z]{32}"),
	token("bitbucket_token", [
		"ATBB",
		"ATCTT3xFfG",
		"ATATT3xFfG"
	], "[A-Za-z0-9_=.-]{24,300}"),
	named("bitbucket_client_id", "bitbucket", "[a-z0-9]{32}"),
	named("bitbucket_client_secret", "bitbucket", "[a-z0-9=_-]{64}"),
	token("gitea_token", "gitea_", "[a-f0-9]{40}"),
	named("gitea_token", [
		"gitea",
		"forgejo",
		"gogs",
		"codeberg"
	], "[a-f0-9]{40}"),
	token("npm_token", "npm_", "[A-Za-z0-9]{36}"),
	named("npm_token", "_authtoken", `[A-Za-z0-9+/=_-]{20,200}|${UUID$1}`),
	named("npm_password", [":_password", ":_auth"], "[A-Za-z0-9+/]{12,200}={0,2}"),
	token("jsr_token", [
		"jsrp_",
		"jsrd_",
		"jsrw_"
	], "[A-Za-z0-9]{30,60}"),
	token("pypi_token", "pypi-AgE", "[A-Za-z0-9_-]{50,1000}"),
	token("rubygems_token", "rubygems_", "[a-f0-9]{48}"),
	token("clojars_token", "CLOJARS_", "[A-Za-z0-9]{60}"),
	token("crates_token", "cio", "[A-Za-z0-9]{32}"),
	token("nuget_key", "oy2", "[a-z0-9]{43}"),
	named("packagist_token", "packagist", "(?:packagist_[ou]rt_)?[a-f0-9]{40,80}"),
	token("packagist_token", [
		"packagist_ort_",
		"packagist_urt_",
		"packagist_uut_"
	], "[a-f0-9]{40,80}"),
	named("hackage_token", "hackage", "[A-Za-z0-9]{44}"),
	token("docker_token", ["dckr_pat_", "dckr_oat_"], "[A-Za-z0-9_-]{27,40}"),
	named("docker_auth", "\"auth", "[A-Za-z0-9+/]{16,200}={0,2}"),
	token("docker_auth", [
		"eyJhdXRocyI6",
		"ewoJImF1dGhzIjog",
		"ewogICJhdXRocyI6"
	], "[A-Za-z0-9+/]{20,4000}={0,2}"),
	named("quay_token", "quay", "[A-Z0-9]{64}|[A-Za-z0-9]{40}"),
	named("artifactory_api_key", [
		"artifactory",
		"jfrog",
		"jfrog-art-api",
		"bintray",
		"xray"
	], "[A-Za-z0-9]{64,73}"),
	token("artifactory_api_key", "AKCp", "[A-Za-z0-9]{69}"),
	token("artifactory_reference_token", "cmVmd", "[A-Za-z0-9]{59}"),
	named("cloudsmith_key", "cloudsmith", "[a-f0-9]{40}"),
	token("circleci_token", ["CCIPAT_", "CCIPRJ_"], "[A-Za-z0-9]{22}_[a-f0-9]{40}"),
	named("circleci_token", [
		"circleci",
		"circle_token",
		"circle-token"
	], "[a-f0-9]{40}"),
	named("travisci_token", ["travis"], "[A-Za-z0-9_-]{20,22}"),
	named("droneci_token", "drone", "[A-Za-z0-9]{32}"),
	token("buildkite_token", [
		"bkua_",
		"bkat_",
		"bkct_",
		"bkpt_"
	], "[A-Za-z0-9_-]{36,64}"),
	named("buildkite_token", "buildkite", "[a-z0-9]{40}"),
	named("semaphore_token", "semaphore", "[A-Za-z0-9_-]{20,43}"),
	named("codefresh_token", "codefresh", "[a-f0-9]{24}\\.[a-f0-9]{32}"),
	named("appveyor_token", "appveyor", "(?:v2\\.)?[a-z0-9]{20}"),
	named("bitrise_token", "bitrise", "[A-Za-z0-9_-]{86}"),
	named("jenkins_token", ["jenkins", "crumb"], "[a-f0-9]{32,34}|[a-f0-9]{64}"),
	named("teamcity_token", "teamcity", "eyJ[A-Za-z0-9+/=.]{20,200}"),
	named("codecov_token", "codecov", `[a-z0-9]{32}|${UUID$1}`),
	named("coveralls_token", ["coveralls", "repo_token"], "[A-Za-z0-9]{32,37}"),
	named("codacy_token", "codacy", "[a-f0-9]{32}|[A-Za-z0-9]{20}"),
	named("codeclimate_token", ["codeclimate", "cc_test_reporter"], "[a-f0-9]{40,64}"),
	token("sonar_token", [
		"squ_",
		"sqp_",
		"sqa_"
	], "[a-z0-9]{40}"),
	named("sonar_token", ["sonar"], "(?:sq[upa]_)?[a-z0-9=_-]{40}"),
	named("snyk_token", "snyk", UUID$1),
	token("sourcegraph_token", [
		"sgp_",
		"sgs_",
		"slk_",
		"sgd_"
	], "(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}(?:[a-f0-9]{24})?"),
	named("sourcegraph_token", ["sourcegraph", "src_access_token"], "[a-f0-9]{40}"),
	named("deepsource_key", "deepsource", "https:\\/\\/[A-Za-z0-9]{32}@[\\w.]{1,60}|[A-Za-z0-9]{32}"),
	token("phabricator_token", ["api-", "cli-"], "(?=[a-z0-9]{0,27}[0-9])[a-z0-9]{28}"),
	token("pulumi_esc_token", "esc-", "[a-f0-9]{40}"),
	named("scalr_token", "scalr", "eyJ[A-Za-z0-9_-]{20,200}\\.[A-Za-z0-9_-]{20,400}\\.[A-Za-z0-9_-]{20,200}"),
	token("replicate_deploy_key", "depot_", "[a-z]{3,8}_[a-f0-9]{64}"),
	named("gemfury_token", "fury", "[A-Za-z0-9]{20}"),
	token("gemfury_token", ["fury_"], "[A-Za-z0-9_-]{20,60}"),
	named("travis_session", "travis", "[A-Za-z0-9]{43}"),
	named("libraries_io_key", ["libraries_io", "librariesio"], "[a-f0-9]{32}"),
	token("postman_api_key", "PMAK-", "[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}"),
	token("readme_api_key", "rdme_", "[a-z0-9]{70}"),
	token("scribe_sentry", "sntryu_", "[a-f0-9]{64}"),
	token("localstack_token", "ls-", "[A-Za-z]{4}[A-Za-z0-9]{4}-[A-Za-z0-9]{4}-[A-Za-z0-9]{4}-[A-Za-z0-9]{4}-[A-Za-z0-9]{12,16}")
];
//#endregion
//#region src/features/redaction/rules/all.ts
var ALL_RULES = [
	...OWN_RULES,
	...CLOUD_RULES,
	...SOURCE_HOST_RULES,
	...PAYMENT_RULES,
	...MESSAGING_RULES,
	...AI_RULES,
	...DATABASE_RULES,
	...OBSERVABILITY_RULES,
	...IDENTITY_RULES,
	...PRODUCTIVITY_RULES
];
//#endregion
//#region src/features/redaction/stretches.ts
/** Characters at which a value ends, whatever the notation. */
var BREAKS = /* @__PURE__ */ new Uint8Array(128);
for (const character of " 	\n\r\v\f\"'`;,<>&)]}|\\#") BREAKS[character.charCodeAt(0)] = 1;
/** Many names and prefixes without a break between them are data or an attack. Only the first ones are tried. */
var MOST_VALUES = 8;
var MOST_TOKENS = 200;
/**
* Decides whether a match is worth trying. A stretch has no break inside: a value reaches at least to its end. It is
* read once for all names inside it, so that a million names without a break cost no more than a million letters.
*/
var Stretches = class {
	#text;
	#start = 0;
	#end = 0;
	#values = 0;
	#tokens = 0;
	#lastValue = -1;
	constructor(text) {
		this.#text = text;
	}
	/** May a value of at most `longest` characters start here? */
	admitsValue(at, longest) {
		this.#moveTo(at);
		if (this.#end - at > longest) return false;
		if (at !== this.#lastValue) {
			this.#lastValue = at;
			this.#values += 1;
		}
		return this.#values <= MOST_VALUES;
	}
	admitsToken(at) {
		this.#moveTo(at);
		this.#tokens += 1;
		return this.#tokens <= MOST_TOKENS;
	}
	#moveTo(at) {
		if (at >= this.#start && at < this.#end) return;
		let end = at;
		while (end < this.#text.length && BREAKS[this.#text.charCodeAt(end)] !== 1) end += 1;
		this.#start = at;
		this.#end = end;
		this.#values = 0;
		this.#tokens = 0;
	}
};
//#endregion
//#region src/features/redaction/tables.ts
/**
* Tables of every kind: a name at the head of a column, and the values below it. Columns are cut by bars (Markdown, wikis,
* databases), tabs, commas, semicolons or blanks; by the cells of HTML; or they are two lists of one length, as in SQL.
*/
var LONGEST_HEAD = 600;
var LONGEST_ROW = 4e3;
var LONGEST_NAME$1 = 40;
var MOST_CELLS = 40;
var MOST_ROWS = 2e3;
var namePatterns = [...SECRET_NAMES, ...FOREIGN_NAMES].map(({ kind, whole, names }) => ({
	kind,
	pattern: new RegExp(`(?:${names.join("|")})${whole ? "s?(?![a-z])" : ""}`, "i")
}));
var PAIR_HEAD = /^(?:login|log-?in|account|credentials?|creds|zugang|zugangsdaten|user ?\/ ?pass(?:word)?|konto|accès|acceso|acesso)s?$/i;
var HEADS_OF_PAIRS = [
	"login",
	"account",
	"credential",
	"creds",
	"zugang",
	"konto",
	"acceso"
];
var WRAPPING = /^[\s*_~"'`!]{1,8}|[\s*_~"'`]{1,8}$/g;
/** A cell that names a secret, and where in it the name is that says so. */
function headingIn(cell) {
	const text = cell.replace(WRAPPING, "");
	if (text === "" || text.length > LONGEST_NAME$1) return void 0;
	if (PAIR_HEAD.test(text)) return {
		kind: "password",
		text,
		name: {
			start: 0,
			end: text.length
		},
		isPair: true
	};
	for (const { kind, pattern } of namePatterns) {
		const found = pattern.exec(text);
		if (found) return {
			kind,
			text,
			name: {
				start: found.index,
				end: found.index + found[0].length
			},
			isPair: false
		};
	}
}
var TRIMMED = /[^\s*_~"'`](?:[^\r\n]{0,398}[^\s*_~"'`])?/;
var WRITTEN = /[^\s"'`](?:[^\r\n]{0,398}[^\s"'`])?/;
var PAIR_VALUE = /^[^\s:/|,;]{1,60}\s{0,2}[:/|,;]\s{0,2}(?=\S)/;
function secretIn(cell, { kind, text, name, isPair }, isSure) {
	const found = (/^\s*[*_~"'`]/.test(cell.text) ? TRIMMED : WRITTEN).exec(cell.text);
	if (!found) return void 0;
	const before = isPair ? PAIR_VALUE.exec(found[0])?.[0].length ?? found[0].length : 0;
	const value = found[0].slice(before);
	const start = cell.start + found.index + before;
	if (value === "" || isHarmless(text, name, kind, value)) return void 0;
	if (/\s/.test(value)) return void 0;
	if (certaintyOf(value) >= 2) return {
		start,
		end: start + value.length,
		kind,
		rank: RANK.assigned
	};
	return isSure && !isPair && (kind === "password" || cell.start > 0) ? secretValue(value, start, kind) : void 0;
}
var splitBy = (pattern) => (line, start) => {
	const cells = [];
	let from = 0;
	for (const { index, 0: sign } of line.matchAll(pattern)) {
		if (cells.length >= MOST_CELLS) break;
		cells.push({
			start: start + from,
			text: line.slice(from, index)
		});
		from = index + sign.length;
	}
	cells.push({
		start: start + from,
		text: line.slice(from)
	});
	return cells;
};
var cutByBars = splitBy(/\|\||!!|[|│┃║]|(?<=^|[ ^])\^(?= |$)/g);
/** The text before the first bar of a row is not a cell. */
function barCells(line, start) {
	const cells = cutByBars(line, start);
	return cells.length > 1 && /^[\s!]*$/.test(cells[0]?.text ?? "") ? cells.slice(1) : cells;
}
/** Cells between commas or semicolons, some of them in quotes. */
var quotedCells = (sign) => {
	const cell = new RegExp(`[ \\t]{0,4}(?:"((?:[^"\\n]|""){0,400})"|'([^'\\n${sign}]{0,400})'|([^"${sign}\\n]{0,400}))[ \\t]{0,4}(?:${sign}|\\r?$)`, "y");
	return (line, start) => {
		const cells = [];
		cell.lastIndex = 0;
		while (cells.length < MOST_CELLS) {
			const at = cell.lastIndex;
			const found = cell.exec(line);
			if (!found) return [];
			const text = found[1] ?? found[2] ?? found[3] ?? "";
			cells.push({
				start: start + at + found[0].indexOf(text),
				text
			});
			if (!found[0].endsWith(sign)) return cells;
		}
		return cells;
	};
};
var HEAD_CELL = /^(?:[\p{L}_][\p{L}\p{M}\d _./#-]{0,38}(?:\([^()]{1,20}\))?|#|№|)$/u;
var areHeads = (cells) => cells.filter(({ text }) => text.trim() !== "").length > 1 && cells.every(({ text }) => text.length <= 80 && HEAD_CELL.test(text.replace(WRAPPING, "")) && text.trim().split(/\s+/).length <= 4);
var CUTS = [
	{
		name: "bars",
		isSure: true,
		cells: barCells,
		isHead: (cells) => cells.length > 0
	},
	{
		name: "tabs",
		isSure: true,
		cells: splitBy(/\t+/g),
		isHead: areHeads
	},
	{
		name: "semicolons",
		isSure: true,
		cells: quotedCells(";"),
		isHead: areHeads
	},
	{
		name: "commas",
		isSure: true,
		cells: quotedCells(","),
		isHead: areHeads
	}
];
var byBlanks = splitBy(/ {2,}/g);
var bySingleBlanks = splitBy(/ +/g);
var SIGN_OF_CUT = {
	bars: /[|│┃║]|!!|\^ /,
	tabs: /\t/,
	semicolons: /;/,
	commas: /,/
};
/** `|---|:--|`, `----+---`, `=====`: between the heads and the rows. */
var SEPARATOR = /^[\s|:+=─━┄═┼╪╬├┤╞╡╠╣┌┬┐└┴┘╔╦╗╚╩╝-]+$/;
/** No head of a table has them. */
var CODE_SIGN = /[{}[\]=<>:]/;
function countOf(line, sign) {
	let count = 0;
	for (let at = line.indexOf(sign); at !== -1; at = line.indexOf(sign, at + 1)) count += 1;
	return count;
}
function lineAt(text, start) {
	if (start > text.length) return void 0;
	let end = text.indexOf("\n", start);
	if (end === -1) end = text.length;
	const written = end - start > LONGEST_ROW ? "" : text.slice(start, end);
	return {
		text: written.endsWith("\r") ? written.slice(0, -1) : written,
		start,
		end
	};
}
/** Reads the tables of a text from name to name. Each line is a head at most once, and no row of a table is one. */
var Tables = class {
	#text;
	/** Set by whoever has seen a cell of HTML. */
	hasHtml = false;
	#lineStart = 0;
	#lineEnd = -1;
	#readUntil = 0;
	#htmlUntil = 0;
	#listUntil = 0;
	constructor(text) {
		this.#text = text;
	}
	secretsBelow(name) {
		const sign = signBehind(this.#text, name.end);
		if (sign === void 0) return NONE;
		const spans = [];
		if (this.hasHtml) spans.push(...this.#inHtml(name));
		if (sign === "," || sign === ")" || sign === "]") spans.push(...this.#inLists(name));
		if (name.start >= this.#lineStart && name.start <= this.#lineEnd) return spans;
		const head = this.#lineOf(name);
		if (head && head.start >= this.#readUntil && head.text !== "") spans.push(...this.#below(head));
		return spans;
	}
	#lineOf({ start }) {
		const least = start > this.#lineEnd ? Math.max(0, this.#lineEnd + 1) : 0;
		let from = start;
		while (from > least && start - from <= LONGEST_HEAD && this.#text[from - 1] !== "\n") from -= 1;
		const isStart = from === 0 || this.#text[from - 1] === "\n";
		const end = this.#text.indexOf("\n", start);
		this.#lineStart = from;
		this.#lineEnd = end === -1 ? this.#text.length : end;
		if (!isStart || this.#lineEnd - from > LONGEST_HEAD) return void 0;
		return lineAt(this.#text, from);
	}
	#below(head) {
		const next = lineAt(this.#text, head.end + 1)?.text ?? "";
		for (const cut of CUTS) {
			if (!SIGN_OF_CUT[cut.name]?.test(head.text)) continue;
			if (cut.name !== "bars" && !SIGN_OF_CUT[cut.name]?.test(next)) continue;
			if (cut.name === "commas" && CODE_SIGN.test(head.text)) continue;
			if (cut.name === "commas" && countOf(head.text, ",") !== countOf(next, ",") && !next.includes("\"")) continue;
			const cells = cut.cells(head.text, head.start);
			if (!cut.isHead(cells)) continue;
			const spans = this.#rows(head, cells, (line) => rowOf(cut, line, cells));
			if (spans) return spans;
			if (cut.name === "bars") return this.#besideInBars(head, cells);
		}
		return /\S {2,}\S|^[A-Z]+ /.test(head.text) && /\S\s+\S|^[-=]+$/.test(next) ? this.#alignedBelow(head) ?? [] : [];
	}
	/** `| password | … |`: a name beside its value. */
	#besideInBars(line, cells) {
		if (!/^\s*[|│┃║]/.test(line.text)) return [];
		return cells.flatMap((cell, i) => {
			const heading = i > 0 ? headingIn(cells[i - 1]?.text ?? "") : void 0;
			const span = heading && !heading.isPair && secretIn(cell, heading, true);
			return span ? [span] : [];
		});
	}
	#alignedBelow(head) {
		const wide = byBlanks(head.text.trimEnd(), head.start).filter(({ text }) => text.trim() !== "");
		const isCapital = /^[A-Z][A-Z0-9_/-]*(?: [A-Z0-9_/-]+)+$/.test(head.text.trimEnd());
		const cells = wide.length > 1 ? wide : isCapital ? bySingleBlanks(head.text.trimEnd(), head.start) : [];
		if (!areHeads(cells)) return void 0;
		return this.#rows(head, cells, (line) => alignedRow(line, cells, head.start));
	}
	/** The secrets in the rows below a head. `undefined` if there are no rows, or no column of secrets. */
	#rows(head, cells, rowOfLine) {
		const headings = cells.map(({ text }) => headingIn(text));
		if (headings.every((heading) => heading === void 0)) return void 0;
		const spans = [];
		let rows = 0;
		let line = lineAt(this.#text, head.end + 1);
		let cellsOfRow = [];
		for (; line && rows < MOST_ROWS; line = lineAt(this.#text, line.end + 1)) {
			if (line.text !== "" && SEPARATOR.test(line.text)) continue;
			if (line.text === "" && rows === 0 && line.start === head.end + 1) continue;
			let row = rowOfLine(line);
			if (!row) break;
			if (row.length === 1 && cells.length > 1) {
				cellsOfRow.push(row[0]);
				if (cellsOfRow.length < cells.length) continue;
				row = cellsOfRow;
			}
			cellsOfRow = [];
			rows += 1;
			for (const [i, cell] of row.entries()) {
				const beside = i > 0 ? headingIn(row[i - 1]?.text ?? "") : void 0;
				const heading = headings[i] ?? (beside?.isPair ? void 0 : beside);
				const span = heading && cell && secretIn(cell, heading, headings[i] !== void 0);
				if (span) spans.push(span);
			}
		}
		if (rows === 0) return void 0;
		this.#readUntil = Math.max(this.#readUntil, Math.min(line?.start ?? this.#text.length, this.#text.length));
		return spans;
	}
	#inHtml({ start }) {
		const text = this.#text;
		if (start < this.#htmlUntil) return [];
		const from = Math.max(0, start - 80);
		const before = text.slice(from, start);
		const opened = Math.max(before.lastIndexOf("<th"), before.lastIndexOf("<td"), before.lastIndexOf("<TH"), before.lastIndexOf("<TD"));
		if (opened === -1 || /<\/t[dhr]/i.test(before.slice(opened))) return [];
		const near = text.slice(Math.max(0, start - HTML_ROW), start);
		const row = Math.max(near.lastIndexOf("<tr"), near.lastIndexOf("<TR"));
		const rowFrom = row === -1 ? -1 : start - near.length + row;
		const limit = rowFrom + HTML_TABLE;
		if (rowFrom === -1) return [];
		const rows = text.slice(rowFrom, limit).split(/<tr(?=[\s>])/i).slice(1);
		this.#htmlUntil = rowFrom + (rows[0]?.length ?? 0);
		let at = rowFrom;
		const headings = [];
		const spans = [];
		for (const [index, row] of rows.entries()) {
			at += 3;
			for (const [i, cell] of htmlCells(row, at).entries()) if (index === 0) headings.push(headingIn(cell.text));
			else {
				const heading = headings[i];
				const span = heading && secretIn(cell, heading, true);
				if (span) spans.push(span);
			}
			at += row.length;
			if (index > 0 && /<\/table/i.test(row)) break;
		}
		this.#htmlUntil = at;
		return spans;
	}
	#inLists(name) {
		const text = this.#text;
		if (name.start < this.#listUntil) return [];
		const from = Math.max(0, name.start - LIST_BEFORE);
		const before = text.slice(from, name.start);
		const opened = Math.max(before.lastIndexOf("("), before.lastIndexOf("["));
		if (opened === -1 || !LIST_ITEMS.test(before.slice(opened + 1))) return [];
		const head = listAt(text, from + opened);
		if (!head || head.items.length < 2 || head.end <= name.start) return [];
		this.#listUntil = head.end;
		const headings = head.items.map(({ text }) => headingIn(text));
		const spans = [];
		let end = head.end;
		for (let lists = 0; lists < MOST_ROWS; lists += 1) {
			BETWEEN_LISTS.lastIndex = end;
			if (!BETWEEN_LISTS.test(text)) break;
			const copied = /stdin;\r?\n$/i.test(text.slice(end, BETWEEN_LISTS.lastIndex));
			const row = copied ? void 0 : listAt(text, BETWEEN_LISTS.lastIndex - 1);
			if (copied) spans.push(...this.#copied(head.items, BETWEEN_LISTS.lastIndex));
			if (!row || row.items.length !== head.items.length) break;
			for (const [i, cell] of row.items.entries()) {
				const heading = headings[i];
				const span = heading && secretIn(cell, heading, false);
				if (span) spans.push(span);
			}
			end = row.end;
		}
		this.#listUntil = end;
		return spans;
	}
	/** The rows of `COPY … FROM stdin;`. */
	#copied(heads, start) {
		const cut = CUTS[1];
		return this.#rows({
			text: "",
			start,
			end: start - 1
		}, heads, (line) => rowOf(cut, line, heads)) ?? [];
	}
};
var HTML_ROW = 1500;
var HTML_TABLE = 2e4;
var HTML_CELL = /<t[dh](?:\s[^<>]{0,200})?>([\s\S]{0,600}?)(?=<\/?t[dhr]|$)/gi;
/** The cells of a row with their text, without the tags around it. */
function htmlCells(row, start) {
	return Array.from(row.matchAll(HTML_CELL), (found) => {
		const inner = found[1] ?? "";
		const text = /^(?:\s|<[^<>]{0,200}>){0,20}([^<]{0,400})/.exec(inner);
		const value = text?.[1] ?? "";
		return {
			start: start + found.index + found[0].length - inner.length + (text?.[0].length ?? 0) - value.length,
			text: value
		};
	});
}
var NONE = [];
var QUOTES$1 = `"'\`*_`;
/** What may end a cell, or the item of a list. */
var ENDS = "|│┃║!^	;,)]\r\n<";
/** The sign that ends the cell in which the name stands, if it may be one. */
function signBehind(text, nameEnd) {
	for (let at = nameEnd; at <= nameEnd + LONGEST_NAME$1; at += 1) {
		const code = text.charCodeAt(at);
		if (isLetter(code) || isDigit(code) || code === 95 || code === 45) continue;
		if (code === 32) {
			if (text.charCodeAt(at + 1) === 32) return " ";
			continue;
		}
		if (Number.isNaN(code)) return "\n";
		const sign = text[at];
		if (QUOTES$1.includes(sign) || code > 126 || sign === "(" || sign === "." || sign === ":" || sign === "/") {
			if (sign === "(" || sign === "." || sign === "/" || sign === ":") {
				const next = text[at + 1] ?? "";
				if (sign === "(" ? !/\w/.test(next) : !/[.:<*_\s]/.test(next)) return void 0;
			}
			if (ENDS.includes(sign)) return sign;
			continue;
		}
		if (sign === ")" && text.slice(nameEnd, at).includes("(")) continue;
		return ENDS.includes(sign) ? sign : void 0;
	}
}
var LIST_BEFORE = 200;
var LIST_ITEMS = /^(?:\s{0,4}["'`[]?[\w -]{0,40}["'`\]]?\s{0,4},){0,20}\s{0,40}["'`[]?[\w -]{0,40}$/;
var BETWEEN_LISTS = /[\s,]{0,20}(?:values|select|from\s{1,4}stdin;\r?\n|["']?\w{1,12}["']?\s{0,2}[:=])?[\s,:=]{0,20}[[(]{0,2}\s{0,20}(?:[([]|(?<=stdin;\r?\n))/iy;
var LIST_ITEM = /\s{0,40}(?:[NEnebx]?'((?:[^'\\\n]|\\.|''){0,400})'|"((?:[^"\\\n]|\\.){0,400})"|`([^`\n]{0,100})`|\[([^\]\n]{0,40})\]|([^\s,()[\]"'`]{0,200}(?:\([^()\n]{0,100}\))?(?: [\w]{1,20}){0,3}))\s{0,20}([,)\]])/y;
/** The items of a list in brackets. */
function listAt(text, open) {
	const items = [];
	LIST_ITEM.lastIndex = open + 1;
	while (items.length < MOST_CELLS) {
		const at = LIST_ITEM.lastIndex;
		const found = LIST_ITEM.exec(text);
		if (!found) return void 0;
		const item = found.slice(1, 6).find((group) => group !== void 0) ?? "";
		items.push({
			start: at + found[0].lastIndexOf(item, found[0].length - 1),
			text: item
		});
		if (found[6] !== ",") return {
			items,
			end: LIST_ITEM.lastIndex
		};
	}
}
function rowOf(cut, line, heads) {
	if (!SIGN_OF_CUT[cut.name]?.test(line.text)) return void 0;
	const row = cut.cells(line.text, line.start);
	if (cut.name === "bars") return row;
	if (cut.name === "tabs") return row.length > 1 ? row : void 0;
	return row.length === heads.length ? row : void 0;
}
/** The words below each head: as many columns, or the word at the head's own place. */
function alignedRow(line, heads, headStart) {
	if (line.text.trim() === "" || !/\S\s+\S/.test(line.text)) return void 0;
	const written = line.text.trimEnd();
	for (const split of [byBlanks, bySingleBlanks]) {
		const cells = split(written, line.start).filter(({ text }) => text !== "");
		if (cells.length === heads.length) return cells;
	}
	return heads.map(({ start, text }) => {
		const column = start - headStart + (text.length - text.trimStart().length);
		if (column > 0 && written[column - 1] !== " ") return void 0;
		const word = /^[^\s]{1,400}/.exec(written.slice(column))?.[0];
		return word === void 0 ? void 0 : {
			start: line.start + column,
			text: word
		};
	});
}
//#endregion
//#region src/text/invisible.ts
/**
* Characters that take no room or show nothing: joiners, marks of direction, fillers, variation selectors, tags. Sources of
* patterns without the flag `u`, in which a character outside the first plane is a pair.
*/
var INVISIBLE = "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb";
/** Of hieroglyphs, shorthand and musical notation, then tags and the further variation selectors. */
var INVISIBLE_PAIRS = "\\ud80d[\\udc30-\\udc3f]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|\\udb40[\\udc00-\\udfff]";
/** A sequence that changes the colour of a terminal, moves its cursor or erases. */
var TERMINAL_SEQUENCE = "(?:\\x1b\\[|\\x9b)[0-?]{0,60}[ -/]{0,4}[@-~]";
//#endregion
//#region src/features/redaction/unfold.ts
/**
* Ways to disguise a secret that still looks the same: invisible characters between its letters, the colours in which a
* terminal shows what was searched for, Markdown escapes, line ends that a shell skips, wide letters, curly quotes, and
* the signs around a value as an address or as JSON inside of JSON has them. The scanner reads a plain form; its offsets
* are mapped back to the original text.
*/
var BLANKS = "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000";
var QUOTES = "\\u2018-\\u201f\\u2039\\u203a\\u00ab\\u00bb";
/** Not before quotes and letters: such escapes are handled by the rules. */
var ESCAPED = "\\\\(?=[_*.~+#=!-])";
/** A word of a command that goes on in the next line. The backslash comes first: few texts have one. */
var BROKEN = "\\\\(?<=[\\w=+/.-]\\\\)\\r?\\n(?=[\\w=+/.-])";
/** `"`, `&`, `'`, `,`, `/`, `:`, `=`, `@` and brackets in an address, and those that JSON writes as numbers. */
var ENCODED = "%(?:2[267CFcf]|3[ADad]|40|7[BDbd])|\\\\u00(?:2[267]|3[CDEcde])";
/** All but the last backslash before a quote. */
var NESTED = "\\\\{1,15}(?=\\\\[\"'])";
var DISGUISES = `[${INVISIBLE}${BLANKS}${QUOTES}\\uff01-\\uff5e]|${ESCAPED}|${BROKEN}|${INVISIBLE_PAIRS}`;
var DISGUISED = new RegExp(DISGUISES, "g");
/** Few texts have colours or such signs, and a pattern with them takes longer. */
var ALL_DISGUISES = new RegExp(`${TERMINAL_SEQUENCE}|${ENCODED}|${NESTED}|${DISGUISES}`, "g");
var IS_ENCODED = /^(?:%|\\u00)(..)$/;
var ENCODED_HERE = new RegExp(ENCODED, "y");
var WIDE = /[\uff01-\uff5e]/;
var BLANK = new RegExp(`[${BLANKS}]`);
var SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a]/;
var DOUBLE_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/;
var asItIs = (at) => at;
function unfold(text, hasSequences) {
	const pattern = hasSequences ? ALL_DISGUISES : DISGUISED;
	pattern.lastIndex = 0;
	if (!pattern.test(text)) return {
		text,
		originalOffset: asItIs,
		originalEnd: asItIs
	};
	const at = [];
	const by = [];
	let left = 0;
	const plain = text.replace(pattern, (sign, offset) => {
		const shown = shownAs(sign);
		if (shown.length === sign.length) return shown;
		at.push(offset - left + shown.length);
		left += sign.length - shown.length;
		by.push(left);
		return shown;
	});
	const originalOffset = left === 0 ? asItIs : (offset) => offset + shiftAt(at, by, offset);
	const originalEnd = (end) => {
		const last = originalOffset(end - 1);
		ENCODED_HERE.lastIndex = last;
		return hasSequences && ENCODED_HERE.test(text) ? ENCODED_HERE.lastIndex : last + 1;
	};
	return {
		text: plain,
		originalOffset,
		originalEnd
	};
}
function shownAs(sign) {
	const code = IS_ENCODED.exec(sign)?.[1];
	if (code !== void 0) return String.fromCharCode(Number.parseInt(code, 16));
	if (sign.length > 1) return "";
	if (WIDE.test(sign)) return String.fromCharCode(sign.charCodeAt(0) - 65248);
	if (BLANK.test(sign)) return " ";
	if (SINGLE_QUOTES.test(sign)) return "'";
	return DOUBLE_QUOTES.test(sign) ? "\"" : "";
}
/** How far the left-out characters before an offset have moved it. */
function shiftAt(at, by, offset) {
	let low = 0;
	let high = at.length;
	while (low < high) {
		const middle = low + high >>> 1;
		if (at[middle] <= offset) low = middle + 1;
		else high = middle;
	}
	return low === 0 ? 0 : by[low - 1];
}
//#endregion
//#region src/features/redaction/urls.ts
var USER = "[^\\s:/@\"'`<>\\\\?#]{0,200}";
var USER_INFO = new RegExp(`${USER}:([^\\s@/"'\`<>\\\\]{1,300}(?:@[^\\s@/"'\`<>\\\\?#,;]{0,200}){0,5})@(?=[\\w[$-])`, "y");
/** A slash belongs to the password if an at sign and a host follow it. A port and a path before an at sign are left alone. */
var WITH_SLASH = new RegExp(`${USER}:((?!\\d{1,5}/)[^\\s"'\`<>\\\\?#,;]{6,300})@(?=[\\w.-]{1,200}(?::\\d{1,5})?(?:[/?\\s"'\`,]|$))`, "y");
var DATABASE = /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse)$/i;
/** A token in place of the user. The address of a project in Sentry looks the same and is public. */
var TOKEN = /([A-Za-z0-9_.~-]{16,200})@(?![\w.-]{0,100}sentry)(?=[\w-]{1,63}\.[\w.-]{1,200})/iy;
var WEB = /https?$/i;
var LONGEST_SCHEME = 14;
/** Words that sample addresses use as a password. */
var SAMPLE_WORDS = new Set("password passwd pass pwd secret pw user username token key postgres root admin guest mysql mongo redis test foo bar".split(" "));
/** The secret before the at sign with which a match ended, if it is no sample. */
function secretBefore(end, value) {
	if (SAMPLE_WORDS.has(value.toLowerCase()) || isPlaceholder(value)) return void 0;
	return {
		start: end - value.length,
		end,
		kind: "url_password",
		rank: RANK.assigned
	};
}
/** `scheme://user:password@host`, from the end of `://`. Only the password is replaced. */
function urlPassword(text, afterScheme) {
	USER_INFO.lastIndex = afterScheme;
	const password = USER_INFO.exec(text)?.[1];
	if (password !== void 0) return secretBefore(USER_INFO.lastIndex - 1, password);
	const scheme = text.slice(Math.max(0, afterScheme - 3 - LONGEST_SCHEME), afterScheme - 3);
	if (WEB.test(scheme)) return tokenAsUser(text, afterScheme);
	return DATABASE.test(scheme) ? passwordWithSlash(text, afterScheme) : void 0;
}
function tokenAsUser(text, afterScheme) {
	TOKEN.lastIndex = afterScheme;
	const token = TOKEN.exec(text)?.[1];
	return token !== void 0 && isPlainlyRandom(token) ? secretBefore(TOKEN.lastIndex - 1, token) : void 0;
}
function passwordWithSlash(text, afterScheme) {
	WITH_SLASH.lastIndex = afterScheme;
	const password = WITH_SLASH.exec(text)?.[1];
	return password !== void 0 && looksLikePassword(password) ? secretBefore(WITH_SLASH.lastIndex - 1, password) : void 0;
}
/** The bracket of the address before it is an end too, so that no stretch is read twice. */
var DSN_STARTS_AFTER = /* @__PURE__ */ new Set(" 	\r\n\"'`=(");
var LONGEST_DSN = 160;
var DSN = /^[^:/]{1,60}:(.{4,100})$/;
/** `user:password@tcp(host:3306)/name`, as programs in Go have it, from the at sign back. */
function dsnPassword(text, atSign) {
	let start = atSign;
	while (start > 0 && atSign - start < LONGEST_DSN && !DSN_STARTS_AFTER.has(text[start - 1])) start -= 1;
	const password = DSN.exec(text.slice(start, atSign))?.[1];
	return password === void 0 ? void 0 : secretBefore(atSign, password);
}
//#endregion
//#region src/features/redaction/wallets.ts
/** The words that a wallet is restored from: twelve to twenty-four of them behind a name such as `seed phrase`. */
var WALLET_NAMES = [
	"mnemonic",
	...[
		"seed",
		"recovery",
		"backup"
	].flatMap((word) => [
		"",
		" ",
		"_",
		"-"
	].map((sign) => `${word}${sign}phrase`)),
	"seed words"
];
var LINK = /[\w-]{0,20}[ \t]{0,2}["'`*)\]]{0,3}(?:[ \t]{0,2}[:=]|[ \t](?:is|are|was)\b|\r?\n)[\s"'`*([]{0,12}/y;
var WORD = /(?:\d{1,2}[.):][ \t]{0,2})?["'`]?([a-z]{3,8})(?![A-Za-z0-9_])["'`]?[ \t]{0,4}(,?[ \t]{0,4}\r?\n?[ \t]{0,8})/y;
var COUNTS = /* @__PURE__ */ new Set([
	12,
	15,
	18,
	21,
	24
]);
var MOST_WORDS = 25;
/** Words of nearly every sentence that the list of the wallets' words does not have. */
var PROSE = new Set("the and for are from not was has its our your with into each must should which word words".split(" "));
/** The samples of tutorials repeat one word. */
var LEAST_DIFFERENT = 8;
/** The words have more than five letters on average; the mnemonics of a processor have three. */
var LEAST_AVERAGE = 4;
/** So many different words, of such a length, restore a wallet. */
var isPhrase = (words) => COUNTS.has(words.length) && new Set(words).size >= LEAST_DIFFERENT && words.join("").length >= words.length * LEAST_AVERAGE;
/** The words behind a name that ends at `nameEnd`. Words of the next line may follow them, so the last good end counts. */
function walletWords(text, nameEnd) {
	LINK.lastIndex = nameEnd;
	if (!LINK.test(text)) return void 0;
	const start = LINK.lastIndex;
	const words = [];
	let [at, end] = [start, -1];
	while (words.length < MOST_WORDS) {
		WORD.lastIndex = at;
		const found = WORD.exec(text);
		const [whole = "", word = "", between = ""] = found ?? [];
		if (!found || PROSE.has(word)) break;
		words.push(word);
		at = WORD.lastIndex;
		if ((between.includes("\n") || !/[A-Za-z0-9]/.test(text[at] ?? "")) && isPhrase(words)) end = found.index + whole.lastIndexOf(word) + word.length;
	}
	return end === -1 ? void 0 : {
		start,
		end,
		kind: "seed_phrase",
		rank: RANK.named
	};
}
//#endregion
//#region src/features/redaction/web-keys.ts
/** JSON Web Keys: `kty` is in each, and only a private or a shared key has one of the secret parts. */
var KEY_TYPES = [
	"\"kty\"",
	"\\\"kty\\\"",
	"'kty'"
];
/** A key of 4096 bits with all its parts has about 3200 characters. */
var WINDOW = 5e3;
var SECRET_PART = /(\\?["'])(?:d|p|q|dp|dq|qi|k)\1\s{0,8}:\s{0,8}\1([A-Za-z0-9_-]{20,1400}={0,2})\1/g;
/** The secret parts of the key around a place. Nothing before `notBefore` is read again. */
function secretsInWebKey(text, typeEnd, notBefore) {
	const from = Math.max(notBefore, typeEnd - WINDOW);
	const opened = text.slice(from, typeEnd).lastIndexOf("{");
	const after = text.slice(typeEnd, typeEnd + WINDOW);
	const closed = after.indexOf("}");
	const readUntil = typeEnd + (closed === -1 ? after.length : closed);
	if (opened === -1) return {
		spans: [],
		readUntil
	};
	const spans = [];
	for (const found of text.slice(from + opened, readUntil).matchAll(SECRET_PART)) {
		const [whole, quote = "", value = ""] = found;
		const end = from + opened + found.index + whole.length - quote.length;
		if (!isPlaceholder(value)) spans.push({
			start: end - value.length,
			end,
			kind: "private_key",
			rank: RANK.named
		});
	}
	return {
		spans,
		readUntil
	};
}
//#endregion
//#region src/features/redaction/scan.ts
var TRIGGERS = /* @__PURE__ */ new Map();
function on(keyword, trigger) {
	const key = keyword.toLowerCase();
	const present = TRIGGERS.get(key);
	if (present) present.push(trigger);
	else TRIGGERS.set(key, [trigger]);
}
for (const rule of ALL_RULES) if (rule.form === "token") for (const prefix of rule.prefixes) on(prefix, (scan, end) => scan.add(findToken(scan, end, prefix, rule)));
else for (const name of rule.names) on(name, (scan, end) => scan.add(findNamed(scan, end, rule)));
for (const { kind, whole, names } of SECRET_NAMES) for (const name of names) on(name, (scan, end) => {
	if (whole && wordGoesOn(scan.text, end)) return;
	const place = {
		start: end - name.length,
		end
	};
	if (scan.names.isDeepInside(place)) return;
	for (const span of scan.tables.secretsBelow(place)) scan.add(span);
	scan.add(secretOfName(scan, {
		start: end - name.length,
		end
	}, kind));
});
for (const [index, keyword] of handoverKeywords.entries()) on(keyword, (scan, end) => scan.add(handedOver(scan.text, end, index)));
for (const [index, command] of commandKeywords.entries()) on(command.keyword, (scan, end) => {
	if (end <= (scan.commandEnds[index] ?? -1)) return;
	const { spans, readUntil } = givenSecrets(scan.text, end, command);
	scan.commandEnds[index] = readUntil;
	for (const span of spans) scan.add(span);
});
for (const reader of READERS) on(reader.keyword, (scan, end) => scan.add(pipedPassword(scan.text, end, reader)));
on("<<<", (scan, end) => scan.add(hereString(scan.text, end)));
on(PEM.begin, (scan, end) => scan.add(readBlock(scan, scan.block(end))));
on(SSH2.begin, (scan, end) => scan.add(readBlock(scan, scan.ssh2Block(end))));
for (const [index, keyword] of binaryKeywords.entries()) on(keyword, (scan, end) => scan.add(readBlock(scan, binaryKey(scan.text, end, index))));
for (const mark of ["-----begin%20", "-----begin+"]) on(mark, (scan, end) => scan.add(readBlock(scan, addressedBlock(scan.text, end))));
on("-----end ", (scan, end) => scan.add(headlessBlock(scan.text, end)));
on(ENCODED_BEGIN, (scan, end) => scan.add(readBlock(scan, encodedBlock(scan.text, end))));
on("://", (scan, end) => scan.add(urlPassword(scan.text, end)));
on("@tcp(", (scan, end) => scan.add(dsnPassword(scan.text, end - 5)));
for (const name of WALLET_NAMES) on(name, (scan, end) => scan.add(walletWords(scan.text, end)));
on("bearer", (scan, end) => scan.add(bearerToken(scan.text, end)));
on("basic", (scan, end) => scan.add(basicCredentials(scan.text, end)));
function onManifest(keyword, read) {
	on(keyword, (scan, end) => {
		if (end <= scan.manifestEnd) return;
		const { spans, readUntil } = read(scan.text, end, Math.max(0, scan.manifestEnd));
		scan.manifestEnd = readUntil;
		for (const span of spans) scan.add(span);
	});
}
for (const keyword of YAML_KINDS) onManifest(keyword, secretsInYaml);
for (const keyword of JSON_KINDS) onManifest(keyword, secretsInJson);
for (const keyword of KEY_TYPES) on(keyword, (scan, end) => {
	if (end <= scan.webKeyEnd) return;
	const { spans, readUntil } = secretsInWebKey(scan.text, end, scan.webKeyEnd);
	scan.webKeyEnd = readUntil;
	for (const span of spans) scan.add(span);
});
for (const sign of [
	"\x1B",
	"%22",
	"%3a",
	"\\u0022",
	"\\u003d",
	"\\\\\"",
	"\\\\'"
]) on(sign, (scan) => {
	scan.hasSequences = true;
});
for (const tag of ["<td", "<th"]) on(tag, (scan) => {
	scan.tables.hasHtml = true;
});
for (const name of CALLS) on(name, (scan, end) => scan.add(scan.calls.secretOf(end)));
for (const name of PAIR_NAMES) on(name, (scan, end) => scan.add(passwordOfPair(scan.text, end)));
for (const name of KNOWN_USERS) on(name, (scan, end) => scan.add(passwordOfUser(scan.text, end)));
on("login", (scan, end) => scan.add(tokenAsLogin(scan.text, end)));
for (const name of [
	"log in",
	"login",
	"sign in",
	"log on"
]) on(name, (scan, end) => scan.add(scan.neighbours.secretBefore({
	start: end - name.length,
	end
})));
for (const name of HEADS_OF_PAIRS) on(name, (scan, end) => {
	for (const span of scan.tables.secretsBelow({
		start: end - name.length,
		end
	})) scan.add(span);
});
on("wifi:", (scan, end) => scan.add(wifiPassword(scan.text, end)));
on("private-lines:", (scan, end) => scan.add(puttyLines(scan.text, end)));
on("authorization", (scan, end) => scan.add(authorizationValue(scan.text, end)));
on("cookie", (scan, end) => {
	for (const span of sessionCookies(scan.text, end)) scan.add(span);
});
/** Everything that a text is searched for. */
var KEYWORDS = [...TRIGGERS.keys()];
var BY_KEYWORD = [...TRIGGERS.values()];
var automaton = buildAutomaton(KEYWORDS);
/** Every secret in the text, in order, without overlaps. */
var scan = (written) => doAll(scanInPieces(written));
function* scanInPieces(written) {
	const { spans: found, hasSequences } = yield* scanPlain(written);
	const { text, originalOffset, originalEnd } = unfold(written, hasSequences);
	if (text === written) return found;
	const { spans } = yield* scanPlain(text);
	const unfolded = spans.map(({ start, end, ...span }) => ({
		...span,
		start: originalOffset(start),
		end: originalEnd(end)
	}));
	return withoutOverlaps([...found, ...unfolded]);
}
function* scanPlain(text) {
	const found = [];
	const candidates = new Candidates(text);
	const state = {
		text,
		block: blockFinder(text, PEM),
		ssh2Block: blockFinder(text, SSH2),
		read: {
			start: 0,
			end: 0
		},
		value: {
			nameEnd: -1,
			start: -1
		},
		stretches: new Stretches(text),
		bare: new ValueRuns(text, BARE_NOTATION),
		signed: new ValueRuns(text, SIGNED_NOTATION),
		names: new NameRuns(text),
		neighbours: new Neighbours(text, candidates),
		tables: new Tables(text),
		calls: new Calls(text),
		manifestEnd: -1,
		listEnd: 0,
		webKeyEnd: 0,
		commandEnds: [],
		hasSequences: false,
		add: (span) => {
			if (span) found.push(span);
		}
	};
	yield* automaton.scanInPieces(text, (keyword, end) => {
		const { read } = state;
		if (end <= read.end && end - (KEYWORDS[keyword]?.length ?? 0) > read.start) return;
		for (const trigger of BY_KEYWORD[keyword] ?? []) trigger(state, end);
	});
	yield;
	if (!hasForeignLetters(text)) return {
		spans: withoutOverlaps(found),
		hasSequences: state.hasSequences
	};
	const tables = new Tables(text);
	tables.hasHtml = state.tables.hasHtml;
	const foreign = {
		...state,
		tables,
		neighbours: new Neighbours(text, new Candidates(text))
	};
	for (const { name, kind } of foreignNames(text)) {
		for (const span of foreign.tables.secretsBelow(name)) state.add(span);
		state.add(secretOfName(foreign, name, kind));
	}
	yield;
	return {
		spans: withoutOverlaps(found),
		hasSequences: state.hasSequences
	};
}
function readBlock(scan, span) {
	if (span) scan.read = span;
	return span;
}
function findToken(scan, end, prefix, rule) {
	const { text } = scan;
	const fixed = end - prefix.length;
	if (!text.startsWith(prefix, fixed)) return void 0;
	const start = tokenStart(text, fixed, rule);
	if (start === -1 || !scan.stretches.admitsToken(start)) return void 0;
	rule.tail.lastIndex = end;
	const tail = rule.tail.exec(text)?.[0];
	if (tail === void 0) return void 0;
	const span = {
		start,
		end: end + tail.length,
		kind: rule.kind,
		rank: RANK.token + prefix.length / 100
	};
	scan.read = span;
	return isSampleToken(text.slice(start, fixed) + tail) ? void 0 : span;
}
function tokenStart(text, fixed, { head }) {
	if (!head) return startsWord(text, fixed) ? fixed : -1;
	head.lastIndex = fixed;
	const before = head.exec(text)?.[1];
	return before === void 0 ? -1 : fixed - before.length;
}
/** The start of a word, or what follows an escape such as `\n` or `%3D`. */
function startsWord(text, at) {
	if (at === 0 || !isWordCharacter(text.charCodeAt(at - 1))) return true;
	return text[at - 2] === "\\" || text[at - 3] === "%";
}
function isWordCharacter(code) {
	return code >= 48 && code <= 57 || code >= 65 && code <= 90 || code >= 97 && code <= 122;
}
function secretOfName(scan, name, kind) {
	const { text } = scan;
	if (scan.names.isDeepInside(name)) return void 0;
	const found = assignedSecret(text, name.end, kind, scan) ?? distantSecret(text, name, kind);
	if (!found) return nearbySecret(scan, name, kind);
	if (isHarmless(text, name, kind, text.slice(found.start, found.end))) return void 0;
	return kind === "password" || text[found.end] !== "," ? found : wholeList(scan, found);
}
function nearbySecret(scan, name, kind) {
	const found = scan.neighbours.secretOf(name, kind);
	return found && !isHarmless(scan.text, name, kind, scan.text.slice(found.start, found.end)) ? found : void 0;
}
/** A list is read once, whatever the names inside it. */
function wholeList(scan, first) {
	if (first.start < scan.listEnd) return first;
	scan.listEnd = endOfList(scan.text, first.end, first.end - first.start);
	return {
		...first,
		end: scan.listEnd
	};
}
/** Longer than any published format; a longer value is data. */
var LONGEST_NAMED_VALUE = 2e3;
function findNamed(scan, end, rule) {
	const { text } = scan;
	if (scan.value.nameEnd !== end) scan.value = {
		nameEnd: end,
		start: valueStart(text, end)
	};
	const { start } = scan.value;
	if (start === -1 || !scan.stretches.admitsValue(start, LONGEST_NAMED_VALUE)) return void 0;
	rule.value.lastIndex = start;
	const value = rule.value.exec(text)?.[0];
	if (value === void 0 || isSampleValue(value)) return void 0;
	return {
		start,
		end: start + value.length,
		kind: rule.kind,
		rank: RANK.named
	};
}
/** `key` is a name, `keys` and `keyId` are, `keyword` and `KEYWORD` are not. */
function wordGoesOn(text, end) {
	const sameCase = isLower(text.charCodeAt(end - 1)) ? isLower : isUpper;
	const next = text[end] === "s" || text[end] === "S" ? end + 1 : end;
	return sameCase(text.charCodeAt(next));
}
function isLower(code) {
	return code >= 97 && code <= 122;
}
function isUpper(code) {
	return code >= 65 && code <= 90;
}
/** Joins overlapping findings into one, with the kind of the most certain of them. */
function withoutOverlaps(found) {
	found.sort((a, b) => a.start - b.start || b.end - a.end);
	const kept = [];
	for (const span of found) {
		const last = kept.at(-1);
		if (last === void 0 || span.start >= last.end) {
			kept.push({ ...span });
			continue;
		}
		if (span.rank > last.rank) {
			last.kind = span.kind;
			last.rank = span.rank;
		}
		last.end = Math.max(last.end, span.end);
	}
	return kept;
}
//#endregion
//#region src/features/redaction/redact.ts
/** Replaces every secret in the text by a placeholder of its kind, such as `<AWS_ACCESS_KEY>`. */
function redact(text) {
	return replaceSpans(text, scan(text));
}
function replaceSpans(text, spans) {
	if (spans.length === 0) return {
		text,
		findings: []
	};
	const parts = [];
	let from = 0;
	for (const span of spans) {
		parts.push(text.slice(from, span.start), `<${span.kind.toUpperCase()}>`);
		from = span.end;
	}
	parts.push(text.slice(from));
	return {
		text: parts.join(""),
		findings: countByKind(spans)
	};
}
var CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;
/** For free text on its way into storage: no control characters but tab and newline, and no secrets. */
function sanitise(text) {
	const { text: clean, findings } = redact(text.replace(CONTROL_CHARACTERS, ""));
	return {
		text: clean.replaceAll("\x1B", ""),
		findings
	};
}
function countByKind(spans) {
	const counts = /* @__PURE__ */ new Map();
	for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1);
	return [...counts].map(([kind, count]) => ({
		kind,
		count
	}));
}
//#endregion
//#region src/features/redaction/stored.ts
/** Gathers what several texts of one record held. */
var Findings = class {
	#counts = /* @__PURE__ */ new Map();
	add(findings) {
		for (const { kind, count } of findings) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
	}
	list() {
		return [...this.#counts].map(([kind, count]) => ({
			kind,
			count
		}));
	}
	get found() {
		return this.#counts.size > 0;
	}
};
/** A text on its way into storage. */
function cleanText(text, findings) {
	const clean = sanitise(text);
	findings.add(clean.findings);
	return clean.text;
}
/** A number is a secret only where the whole name says so: `max_tokens` and `key` count something. */
var NAME_OF_SECRET = /(?:^|[_\s.-]|(?<=[a-z0-9])(?=[A-Z]))(?:(?<password>pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|contrase(?:n|ñ)a|senha|wachtwoord|mot_?de_?passe|parola|has(?:l|ł)o|пароль|パスワード|密码|密碼|비밀번호)|(?<secret>secret|(?:secret|private|signing|encryption|master)[_\s-]?key)|(?<api_key>(?:api|access|licen[cs]e)[_\s-]?key)|(?<token>(?:access|auth|api|refresh|bearer|session)[_\s-]?token))$/iu;
var LONGEST_NAME = 80;
var LEAST_DIGITS = 6;
var DIGITS = /^\d{6,40}$/;
/** The kind of a secret that is a number, or a text of digits alone, in structured data: `{"password": …}`. */
function kindOfNumber(name, value) {
	if (typeof value !== "number" && typeof value !== "string") return void 0;
	const digits = typeof value === "number" ? String(Math.abs(value)).replace(/\.|e\+/g, "") : value;
	if (digits.length < LEAST_DIGITS || !DIGITS.test(digits) || name.length > LONGEST_NAME) return void 0;
	if (new Set(digits).size < 3) return void 0;
	const groups = NAME_OF_SECRET.exec(name)?.groups;
	return groups && Object.keys(groups).find((kind) => groups[kind] !== void 0);
}
/** Metadata on its way into storage: every text and number in it, together with its key. */
function cleanJson(value, findings, name = "") {
	const kind = kindOfNumber(name, value);
	if (kind !== void 0) {
		findings.add([{
			kind,
			count: 1
		}]);
		return `<${kind.toUpperCase()}>`;
	}
	if (typeof value === "string") return cleanNamed(name, value, findings);
	if (Array.isArray(value)) return value.map((item) => cleanJson(item, findings, name));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key, findings), cleanJson(item, findings, key)]));
}
function cleanNamed(name, value, findings) {
	const clean = sanitise(value);
	findings.add(clean.findings);
	if (clean.findings.length > 0 || name === "" || value.length > 4e3) return clean.text;
	const inContext = redact(`${name}: "${clean.text}"`).findings[0];
	if (!inContext) return clean.text;
	findings.add([{
		kind: inContext.kind,
		count: 1
	}]);
	return `<${inContext.kind.toUpperCase()}>`;
}
//#endregion
//#region src/doors/cli/outgoing.ts
/** Fields of the interface that are called as secrets are. Their values are judged without the name. */
var IDENTIFIERS = /* @__PURE__ */ new Set([
	"session_id",
	"project_key",
	"new_project_key",
	"source_project_key",
	"target_project_key"
]);
/** Replaces the secrets in the body of a request, by the rules of the vault. Loaded only where something is sent. */
function withoutSecrets(body) {
	const findings = new Findings();
	const field = ([name, value]) => [name, IDENTIFIERS.has(name) && typeof value === "string" ? cleanText(value, findings) : cleanJson(value, findings, name)];
	return {
		value: typeof body === "object" && body !== null && !Array.isArray(body) ? Object.fromEntries(Object.entries(body).map(field)) : cleanJson(body, findings),
		found: findings.list().map(({ kind, count }) => `${count} ${kind}`)
	};
}
//#endregion
export { withoutSecrets };
