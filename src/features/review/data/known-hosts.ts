/**
 * Hosts of widely used software. A host includes its subdomains. A workspace adds its own
 * in its policy (`download_hosts`).
 */
export const KNOWN_HOSTS: ReadonlySet<string> = new Set(
  `
github.com githubusercontent.com github.io ghcr.io github.dev githubassets.com gitlab.com gitlab.io bitbucket.org
codeberg.org sr.ht gitea.com sourceforge.net sourceforge.io launchpad.net savannah.gnu.org gnu.org kernel.org
npmjs.com npmjs.org registry.npmjs.org yarnpkg.com unpkg.com jsdelivr.net esm.sh skypack.dev jsr.io deno.land deno.com
nodejs.org bun.sh pnpm.io volta.sh nvm.sh pypi.org pythonhosted.org python.org pypa.io readthedocs.io readthedocs.org
anaconda.com anaconda.org conda.io conda-forge.org astral.sh python-poetry.org rubygems.org ruby-lang.org rubyonrails.org
bundler.io packagist.org getcomposer.org php.net wordpress.org drupal.org joomla.org crates.io rust-lang.org rustup.rs
sh.rustup.rs docs.rs golang.org go.dev proxy.golang.org sum.golang.org pkg.go.dev maven.org maven.apache.org
repo1.maven.org search.maven.org gradle.org kotlinlang.org jetbrains.com scala-lang.org scala-sbt.org clojars.org
clojure.org sdkman.io adoptium.net openjdk.org oracle.com java.com azul.com nuget.org microsoft.com visualstudio.com
vsassets.io aka.ms windows.net azure.com azureedge.net powershellgallery.com chocolatey.org scoop.sh get.scoop.sh
dotnet.microsoft.com hackage.haskell.org haskell.org get-ghcup.haskell.org stackage.org elm-lang.org erlang.org
elixir-lang.org hex.pm hexdocs.pm ocaml.org opam.ocaml.org nixos.org cachix.org guix.gnu.org julialang.org r-project.org
cran.r-project.org bioconductor.org rstudio.com posit.co perl.org cpan.org metacpan.org lua.org luarocks.org tcl-lang.org
dart.dev pub.dev flutter.dev flutter.io swift.org apple.com cocoapods.org brew.sh macports.org docker.com docker.io
download.docker.com get.docker.com hub.docker.com quay.io gcr.io pkg.dev mcr.microsoft.com registry.k8s.io k8s.io
kubernetes.io helm.sh artifacthub.io get.helm.sh charts.bitnami.com bitnami.com k3s.io get.k3s.io k0s.sh k3d.io rke2.io
istio.io linkerd.io cilium.io envoyproxy.io traefik.io nginx.org nginx.com haproxy.org caddyserver.com apache.org
httpd.apache.org debian.org ubuntu.com canonical.com snapcraft.io fedoraproject.org redhat.com centos.org rockylinux.org
almalinux.org opensuse.org suse.com archlinux.org alpinelinux.org gentoo.org void-linux.org freebsd.org openbsd.org
netbsd.org linuxmint.com raspberrypi.com raspberrypi.org postgresql.org mysql.com mariadb.org mariadb.com sqlite.org
mongodb.com mongodb.org redis.io redis.com valkey.io elastic.co artifacts.elastic.co opensearch.org cassandra.apache.org
kafka.apache.org confluent.io rabbitmq.com nats.io influxdata.com timescale.com clickhouse.com duckdb.org cockroachlabs.com
neo4j.com minio.io min.io dl.min.io hashicorp.com releases.hashicorp.com terraform.io opentofu.org pulumi.com
get.pulumi.com ansible.com chef.io puppet.com vagrantup.com packer.io vaultproject.io consul.io amazonaws.com
awscli.amazonaws.com aws.amazon.com amazon.com cloudfront.net google.com googleapis.com dl.google.com cloud.google.com
googlesource.com chromium.org gstatic.com android.com developer.android.com sdk.cloud.google.com firebase.google.com
cloudflare.com cdnjs.cloudflare.com developers.cloudflare.com fly.io heroku.com vercel.com netlify.com netlify.app
vercel.app render.com railway.app digitalocean.com linode.com hetzner.com ovh.com jquery.com bootstrapcdn.com
getbootstrap.com tailwindcss.com react.dev reactjs.org vuejs.org angular.io angular.dev svelte.dev nextjs.org nuxt.com
vite.dev vitejs.dev webpack.js.org rollupjs.org babeljs.io eslint.org prettier.io typescriptlang.org jestjs.io vitest.dev
playwright.dev cypress.io storybook.js.org expressjs.com fastify.dev nestjs.com electronjs.org prisma.io djangoproject.com
palletsprojects.com fastapi.tiangolo.com numpy.org scipy.org pandas.pydata.org matplotlib.org scikit-learn.org pytorch.org
download.pytorch.org tensorflow.org keras.io huggingface.co hf.co openai.com anthropic.com claude.ai ollama.com ollama.ai
mistral.ai nvidia.com developer.nvidia.com download.nvidia.com intel.com amd.com rocm.docs.amd.com arm.com llvm.org
apt.llvm.org gcc.gnu.org cmake.org ninja-build.org mesonbuild.com conan.io vcpkg.io boost.org qt.io gnome.org kde.org
freedesktop.org x.org videolan.org ffmpeg.org imagemagick.org gimp.org inkscape.org blender.org libreoffice.org
mozilla.org mozilla.net firefox.com letsencrypt.org certbot.eff.org eff.org openssl.org curl.se gnupg.org openssh.com
wireguard.com openvpn.net tailscale.com pkgs.tailscale.com zerotier.com torproject.org grafana.com prometheus.io
jaegertracing.io opentelemetry.io datadoghq.com s3.amazonaws.com install.datadoghq.com sentry.io newrelic.com
jenkins.io circleci.com travis-ci.com codecov.io sonarsource.com snyk.io aquasec.com trivy.dev sigstore.dev
slsa.dev stackoverflow.com stackexchange.com superuser.com serverfault.com wikipedia.org wikimedia.org w3.org whatwg.org
ietf.org rfc-editor.org iana.org unicode.org json.org schemastore.org json-schema.org modelcontextprotocol.io
slack.com discord.com zoom.us dropbox.com box.com atlassian.com atlassian.net trello.com notion.so linear.app figma.com
vim.org neovim.io emacs.org sublimetext.com code.visualstudio.com zed.dev cursor.com starship.rs ohmyz.sh zsh.org
fishshell.com tmux.github.io wezterm.org direnv.net asdf-vm.com mise.run mise.jdx.dev jdx.dev just.systems zenodo.org
arxiv.org figshare.com kaggle.com nist.gov nih.gov ncbi.nlm.nih.gov osf.io data.gov openstreetmap.org
`
    .trim()
    .split(/\s+/),
)

/** Hosts where anybody can put anything, and hosts that hide where they lead. */
export const OPAQUE_HOSTS: ReadonlySet<string> = new Set(
  `
bit.ly tinyurl.com t.co goo.gl is.gd ow.ly buff.ly rebrand.ly cutt.ly shorturl.at rb.gy v.gd t.ly tiny.cc bl.ink
pastebin.com hastebin.com paste.ee dpaste.com ghostbin.com rentry.co privatebin.net justpaste.it controlc.com termbin.com
ix.io sprunge.us 0x0.st transfer.sh file.io anonfiles.com gofile.io catbox.moe litterbox.catbox.moe temp.sh bashupload.com
webhook.site requestbin.com pipedream.net ngrok.io ngrok.app ngrok-free.app trycloudflare.com loca.lt serveo.net
interact.sh oast.fun oast.pro burpcollaborator.net mega.nz mediafire.com zippyshare.com wetransfer.com sendspace.com
`
    .trim()
    .split(/\s+/),
)
