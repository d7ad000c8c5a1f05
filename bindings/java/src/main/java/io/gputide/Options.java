package io.gputide;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The permissions and facts of the host program; no manifest can say any of it.  At first nothing is allowed.  Each method gives options of its
 * own and leaves these as they are.
 */
public final class Options {
    private static final Options NONE = new Options(0, Map.of(), null, List.of());

    private final int flags;
    private final Map<Integer, byte[]> texts; // by their offsets in gputide_options
    private final byte[] caPem;
    private final List<File> files;

    private record File(byte[] name, byte[] text) {}

    private Options(int flags, Map<Integer, byte[]> texts, byte[] caPem, List<File> files) {
        this.flags = flags;
        this.texts = texts;
        this.caPem = caPem;
        this.files = files;
    }

    /** {@return options that allow nothing} */
    public static Options create() {
        return NONE;
    }

    /** {@return these, and any name in ${NAME} and env: of a manifest} */
    public Options allowEnvironment() {
        return with(Abi.ALLOW_ENVIRONMENT);
    }

    /** {@return these, and a credential over http to a host that is not loopback} */
    public Options allowPlainHttp() {
        return with(Abi.ALLOW_PLAIN_HTTP);
    }

    /** {@return these, and a login endpoint outside the known Azure clouds} */
    public Options allowCustomAuthority() {
        return with(Abi.ALLOW_CUSTOM_AUTHORITY);
    }

    /** {@return these with AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY} */
    public Options enableAzureProxy() {
        return with(Abi.ENABLE_AZURE_PROXY);
    }

    /** {@return these with the strict profile, as if each manifest said gputide.io/profile: strict} */
    public Options strict() {
        return with(Abi.STRICT);
    }

    /** {@return these without a credential to a peer without a verified certificate} */
    public Options verifiedPeers() {
        return with(Abi.VERIFIED_PEERS);
    }

    /** {@return these, and cloud tokens to triggers with unsafeSsl in the manifest} */
    public Options allowUnverifiedPeers() {
        return with(Abi.ALLOW_UNVERIFIED_PEERS);
    }

    /**
     * Names the main text in messages.
     *
     * @param name such as so.yaml
     * @return these with it
     */
    public Options textName(String name) {
        return with(Abi.Options.TEXT_NAME, Texts.terminated(name, "textName"));
    }

    /**
     * Which scaler, where the text holds several.
     *
     * @param name "name" or "namespace/name"
     * @return these with it
     */
    public Options scaler(String name) {
        return with(Abi.Options.SCALER, Texts.terminated(name, "scaler"));
    }

    /**
     * One more text beside the main one: a TriggerAuthentication, a Secret, a ConfigMap.
     *
     * @param name for messages
     * @param text YAML or JSON
     * @return these with it
     */
    public Options file(String name, String text) {
        return file(name, Texts.encoded(text));
    }

    /**
     * As {@link #file(String, String)}, from the bytes of a file.
     *
     * @param name for messages
     * @param text in UTF-8
     * @return these with it
     */
    public Options file(String name, byte[] text) {
        List<File> more = new ArrayList<>(files);
        more.add(new File(Texts.terminated(name, "a file's name"), text.clone()));
        return new Options(flags, texts, caPem, List.copyOf(more));
    }

    /**
     * Variables that ${NAME} and env: may name.
     *
     * @param names such as TENANT, APP_*
     * @return these with them
     */
    public Options allowedEnvironment(String... names) {
        return with(Abi.Options.ALLOWED_ENVIRONMENT, Texts.joined(List.of(names), "allowedEnvironment"));
    }

    /**
     * Hosts that may get a cloud token beside the cloud's own.
     *
     * @param hosts names of hosts
     * @return these with them
     */
    public Options allowedTokenHosts(String... hosts) {
        return with(Abi.Options.ALLOWED_TOKEN_HOSTS, Texts.joined(List.of(hosts), "allowedTokenHosts"));
    }

    /**
     * Programs that may be run for a token.
     *
     * @param programs such as az, /opt/bin/token
     * @return these with them
     */
    public Options allowedPrograms(String... programs) {
        return with(Abi.Options.ALLOWED_PROGRAMS, Texts.joined(List.of(programs), "allowedPrograms"));
    }

    /**
     * The folder from which secretTargetRef and configMapTargetRef are read, FOLDER/name/key; a tokenFile lies below it too.
     *
     * @param folder a path
     * @return these with it
     */
    public Options secretsDir(String folder) {
        return with(Abi.Options.SECRETS_DIR, Texts.terminated(folder, "secretsDir"));
    }

    /**
     * Roots to trust, instead of SSL_CERT_FILE, SSL_CERT_DIR and the system's.
     *
     * @param path of a PEM file
     * @return these with it
     */
    public Options caFile(String path) {
        return with(Abi.Options.CA_FILE, Texts.terminated(path, "caFile"));
    }

    /**
     * Roots to trust as a text; goes before {@link #caFile}.
     *
     * @param pem one certificate or several
     * @return these with it
     */
    public Options caPem(String pem) {
        return new Options(flags, texts, Texts.encoded(pem), files);
    }

    /**
     * A proxy for all but loopback and metadata services.
     *
     * @param address "http://proxy:3128"; "environment": HTTPS_PROXY, HTTP_PROXY and NO_PROXY say it
     * @return these with it
     */
    public Options proxy(String address) {
        return with(Abi.Options.PROXY, Texts.terminated(address, "proxy"));
    }

    /**
     * The user agent of requests.
     *
     * @param name instead of "gputide/0.3.0"
     * @return these with it
     */
    public Options userAgent(String name) {
        return with(Abi.Options.USER_AGENT, Texts.terminated(name, "userAgent"));
    }

    /**
     * The Kubernetes cluster to read from, instead of KUBECONFIG where that is allowed and of the pod's service account.
     *
     * @param path of a kubeconfig
     * @return these with it
     */
    public Options kubeconfig(String path) {
        return with(Abi.Options.KUBECONFIG, Texts.terminated(path, "kubeconfig"));
    }

    /**
     * One of the kubeconfig's contexts, instead of its current-context.
     *
     * @param name of the context
     * @return these with it
     */
    public Options kubeContext(String name) {
        return with(Abi.Options.KUBE_CONTEXT, Texts.terminated(name, "kubeContext"));
    }

    /**
     * The folder of a pod's token, ca.crt and namespace, instead of where Kubernetes mounts them.
     *
     * @param folder a path
     * @return these with it
     */
    public Options serviceAccountDir(String folder) {
        return with(Abi.Options.SERVICE_ACCOUNT_DIR, Texts.terminated(folder, "serviceAccountDir"));
    }

    private Options with(int flag) {
        return new Options(flags | flag, texts, caPem, files);
    }

    private Options with(int offset, byte[] text) {
        Map<Integer, byte[]> more = new LinkedHashMap<>(texts);
        more.put(offset, text);
        return new Options(flags, Map.copyOf(more), caPem, files);
    }

    /** A gputide_options; 0, C's NULL, for null. */
    static long in(Frame frame, Options options) {
        return options == null ? 0 : options.in(frame).address;
    }

    private Struct in(Frame frame) {
        Struct raw = frame.struct(Abi.Options.SIZE);
        raw.putInt(Abi.Options.STRUCT_SIZE, Abi.Options.SIZE);
        raw.putInt(Abi.Options.FLAGS, flags);
        texts.forEach((offset, text) -> raw.putLong(offset, frame.copy(text)));
        if (caPem != null) {
            raw.putLong(Abi.Options.CA_PEM, frame.copy(caPem));
            raw.putLong(Abi.Options.CA_PEM_BYTES, caPem.length);
        }
        if (!files.isEmpty()) {
            raw.putLong(Abi.Options.FILES, filesIn(frame));
            raw.putInt(Abi.Options.FILE_COUNT, files.size());
            raw.putInt(Abi.Options.FILE_SIZE, Abi.File.SIZE);
        }
        return raw;
    }

    private long filesIn(Frame frame) {
        Struct array = frame.struct(files.size() * Abi.File.SIZE);
        for (int index = 0; index < files.size(); index++) {
            File file = files.get(index);
            int start = index * Abi.File.SIZE;
            array.putLong(start + Abi.File.NAME, frame.copy(file.name));
            array.putLong(start + Abi.File.TEXT, frame.copy(file.text));
            array.putLong(start + Abi.File.SIZE_BYTES, file.text.length);
        }
        return array.address;
    }
}
